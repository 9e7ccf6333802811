import {
  bindOperation,
  type BoundOperation,
  type CallContext,
  type CatalogueRow,
  type listCapabilities,
  type getCapability,
  type removeCapability,
  type ContentHash,
  isContentHash,
  pinnedRef,
} from '@palisade/contracts';
import {
  answeredBefore,
  answerOnce,
  type Database,
  giveName,
  receiptOf,
  removeName,
  latestRevision,
  listNames,
  listRevisions,
  type Namespace,
  ownerOf,
  type ReadTx,
  registerRevision,
  type Revision,
  revisionByHash,
} from '@palisade/kernel';

/** What is registered under names; each kind has its own names. */
export type RegistryKind = 'capability' | 'agent' | 'env' | 'model-endpoint' | 'pipeline';

/** The names of one kind in one project. */
export interface RegistryNames extends Namespace {
  readonly kind: RegistryKind;
}

/** The answer to every registration. */
export interface Registered {
  readonly name: string;
  readonly revision: number;
  readonly hash: ContentHash;
  readonly created: boolean;
}

const DEFAULT_PAGE = 100;
const MAX_REVISIONS = 1000;

/**
 * What a name means now, or the registration of the content an address names, also as `name@address`: old
 * revisions stay addressable for ever (DI-040). Null when there is none.
 */
export async function findRevision(tx: ReadTx, names: RegistryNames, ref: string): Promise<Revision | null> {
  const pinned = pinnedRef(ref);
  if (pinned === null)
    return isContentHash(ref) ? revisionByHash(tx, names, ref) : latestRevision(tx, names, ref);
  const revision = await revisionByHash(tx, names, pinned.hash);
  return revision?.name === pinned.name ? revision : null;
}

/** Metadata of a revision, and nothing else of it (DI-049). */
function catalogueRow({ name, revision, hash, registeredAt }: Revision): CatalogueRow {
  return { name, revision, hash, registered_at: registeredAt };
}

/** How something is registered. */
export interface Registration {
  readonly context: CallContext;
  /** Answers what would come of it, and needs no stored content. */
  readonly dryRun?: boolean | undefined;
  /** Whose the name is when it is new, or from now on in any case. */
  readonly owner?: { readonly name: string; readonly takesOver: boolean } | undefined;
}

/**
 * Registers the content that `content` makes durable in the blob store first. With an idempotency key the answer comes from a receipt
 * when the call is repeated, before anything is looked up: what the content names may be gone by then, and a late repeat cannot roll a
 * name back. `request` is what makes two calls the same, and holds no secret.
 */
export async function registerContent(
  database: Database,
  { context, dryRun, owner }: Registration,
  { operation, request }: { readonly operation: string; readonly request: unknown },
  { kind, name, content }: Entry,
): Promise<Registered> {
  const { project } = context;
  if (dryRun === true) return previewContent(database, { project, kind, name, hash: await content() });
  const receipt = receiptOf(context, operation);
  const before = await answeredBefore<Registered>(database, { receipt, request });
  if (before !== null) return before;
  const entry = { project, kind, name, hash: await content() };
  return database.write(async (tx) => {
    const register = async (): Promise<Registered> => {
      const { revision, created } = await registerRevision(tx, entry, owner?.name ?? null);
      if (owner?.takesOver === true) await giveName(tx, entry, entry.name, owner.name);
      return { name: revision.name, revision: revision.revision, hash: revision.hash, created };
    };
    return answerOnce(tx, receipt, request, register);
  });
}

/** What is to be registered under a name. */
interface Entry {
  readonly kind: RegistryKind;
  readonly name: string;
  /** Makes the content, and gives its address. */
  readonly content: () => Promise<ContentHash>;
}

/** What registering would answer now. */
async function previewContent(
  database: Database,
  { name, hash, ...names }: RegistryNames & { readonly name: string; readonly hash: ContentHash },
): Promise<Registered> {
  const present = await database.read((tx) => latestRevision(tx, names, name));
  const created = present?.hash !== hash;
  return { name, revision: (present?.revision ?? 0) + (created ? 1 : 0), hash, created };
}

/** The revision asked for and the history of its name, newest first; null and nothing for an unknown one. */
export async function history(
  tx: ReadTx,
  names: RegistryNames,
  ref: string,
): Promise<{ readonly row: CatalogueRow | null; readonly revisions: CatalogueRow[] }> {
  const row = await findRevision(tx, names, ref);
  if (row === null) return { row, revisions: [] };
  const revisions = await listRevisions(tx, names, row.name, { limit: MAX_REVISIONS });
  return { row: catalogueRow(row), revisions: revisions.map(catalogueRow) };
}

/** Binds the catalogue listing of a kind, which reads rows only, so that no body can leak through it (DI-049). */
export function catalogueList(
  database: Database,
  kind: RegistryKind,
  operation: typeof listCapabilities,
): BoundOperation {
  return bindOperation(operation, async ({ cursor, limit = DEFAULT_PAGE }, { project }) => {
    const page = await database.read((tx) => listNames(tx, { project, kind }, { after: cursor, limit }));
    return {
      data: page.revisions.map(catalogueRow),
      has_more: page.next !== null,
      ...(page.next === null ? {} : { next_cursor: page.next }),
    };
  });
}

/** Binds the two catalogue reads of a kind. */
export function catalogueReads(
  database: Database,
  kind: RegistryKind,
  operations: { readonly list: typeof listCapabilities; readonly get: typeof getCapability },
): BoundOperation[] {
  return [
    catalogueList(database, kind, operations.list),
    bindOperation(operations.get, ({ name }, { project }) =>
      database.read((tx) => history(tx, { project, kind }, name)),
    ),
  ];
}

/**
 * Takes a name's meaning away; revisions stay under their addresses. With an owner only what belongs to it
 * is taken away.
 */
export async function removeMeaning(
  database: Database,
  kind: RegistryKind,
  name: string,
  { context, dryRun, owner }: Registration,
  operation: string,
): Promise<{ readonly name: string; readonly removed: boolean }> {
  const names = { project: context.project, kind };
  if (dryRun === true)
    return { name, removed: (await database.read((tx) => latestRevision(tx, names, name))) !== null };
  return database.write((tx) =>
    answerOnce(tx, receiptOf(context, operation), { name }, async () => {
      const isLeft = owner !== undefined && (await ownerOf(tx, names, name)) !== owner.name;
      return { name, removed: !isLeft && (await removeName(tx, names, name)) };
    }),
  );
}

/** Binds the operation that takes a name's meaning away. */
export function catalogueRemove(
  database: Database,
  kind: RegistryKind,
  operation: typeof removeCapability,
): BoundOperation {
  return bindOperation(operation, ({ name, dry_run: dryRun }, context) =>
    removeMeaning(database, kind, name, { context, dryRun }, operation.id),
  );
}
