import {
  type CallContext,
  canonicalHash,
  type ContentHash,
  contentHash,
  type DeployChange,
  type DeployEntry,
  type DeployKind,
  isPalisadeError,
} from '@palisade/contracts';
import { latestRevision } from '@palisade/kernel';
import { readQueue } from '../flow/queue-limits.ts';
import { draftAgent } from '../registry/agents/agent-operations.ts';
import type { Binding } from '../registry/agents/agent.ts';
import { bundleOf } from '../registry/capabilities/capability.ts';
import { draftEnvironment } from '../registry/environments/environment-operations.ts';
import { secretRefs } from '../registry/environments/environment.ts';
import { draftPipeline } from '../registry/pipelines/pipeline-operations.ts';
import type { ProjectRooms } from '../registry/project-rooms.ts';
import { draftModelEndpoint } from '../registry/model-endpoints/model-endpoint-operations.ts';
import { changedFiles, changedMembers } from './deploy-diff.ts';

type InputOf<K extends DeployKind> = Extract<DeployEntry, { readonly kind: K }>['input'];

const MAX_DEFINITION_BYTES = 64 * 1024 * 1024;

/** What an entry is checked with, besides what is stored. */
export interface EntrySurroundings {
  readonly context: CallContext;
  /** Content that names will have when later entries are registered; capabilities are added to it. */
  readonly pending: Map<string, Binding>;
  /** Told of every secret of an environment that does not exist, with its place in the entry. */
  readonly missingSecret: (path: string, message: string) => void;
}

/** What an entry would change now; raises what registering it would. */
export async function planEntry(
  rooms: ProjectRooms,
  entry: DeployEntry,
  around: EntrySurroundings,
): Promise<DeployChange> {
  switch (entry.kind) {
    case 'queue':
      return planQueue(rooms, entry.input);
    case 'capability':
      return planCapability(rooms, entry.input, around.pending);
    case 'agent':
      return planDefinition(rooms, 'agent', await draftAgent(rooms, entry.input, around.pending));
    case 'pipeline':
      return planDefinition(rooms, 'pipeline', draftPipeline(entry.input));
    case 'model-endpoint':
      return planDefinition(rooms, 'model-endpoint', await draftModelEndpoint(rooms, entry.input));
    default:
      return planEnvironment(rooms, entry.input, around);
  }
}

async function planQueue(
  { project, database }: ProjectRooms,
  { name, concurrency }: InputOf<'queue'>,
): Promise<DeployChange> {
  const present = (await database.read((tx) => readQueue(tx, project, name)))?.concurrency;
  const change = { kind: 'queue', name, outcome: 'planned' } as const;
  if (present === undefined) return { ...change, action: 'create' };
  if (present === concurrency) return { ...change, action: 'unchanged' };
  return { ...change, action: 'update', changed: ['concurrency'] };
}

async function planCapability(
  rooms: ProjectRooms,
  { name, files, allow_credential_patterns: allowed }: InputOf<'capability'>,
  pending: Map<string, Binding>,
): Promise<DeployChange> {
  // Known to agents also when it is refused: one fault is told once.
  pending.set(name, { name, hash: contentHash('') });
  const bundle = bundleOf(name, files, allowed);
  const hash = contentHash(bundle);
  pending.set(name, { name, hash });
  return compared(rooms, { kind: 'capability', name, hash }, (before) => changedFiles(before, bundle));
}

async function planEnvironment(
  rooms: ProjectRooms,
  input: InputOf<'env'>,
  { context, missingSecret }: EntrySurroundings,
): Promise<DeployChange> {
  const { secrets = {}, ...rest } = input;
  const missing = new Set<string>();
  for (const [key, ref] of secretRefs(input))
    await rooms.secrets.check([ref]).catch((error: unknown) => {
      if (!isPalisadeError(error)) throw error;
      missing.add(key);
      missingSecret(`secrets.${key}`, error.message);
    });
  // What else is wrong with it is told as well.
  const found = Object.fromEntries(Object.entries(secrets).filter(([key]) => !missing.has(key)));
  const definition = await draftEnvironment(rooms, { ...rest, secrets: found }, { context, dryRun: true });
  return planDefinition(rooms, 'env', definition);
}

function planDefinition(
  rooms: ProjectRooms,
  kind: Exclude<DeployKind, 'queue' | 'capability'>,
  definition: { readonly name: string },
): Promise<DeployChange> {
  const entry = { kind, name: definition.name, hash: canonicalHash(definition) };
  return compared(rooms, entry, (before) =>
    changedMembers(JSON.parse(Buffer.from(before).toString('utf8')) as object, definition),
  );
}

async function compared(
  { project, database, blobs }: ProjectRooms,
  {
    kind,
    name,
    hash,
  }: { readonly kind: Exclude<DeployKind, 'queue'>; readonly name: string; readonly hash: ContentHash },
  changes: (before: Uint8Array) => string[],
): Promise<DeployChange> {
  const present = await database.read((tx) => latestRevision(tx, { project, kind }, name));
  if (present === null) return { kind, name, action: 'create', after: hash, outcome: 'planned' };
  const both = { kind, name, before: present.hash, after: hash, outcome: 'planned' } as const;
  if (present.hash === hash) return { ...both, action: 'unchanged' };
  const before = await blobs.get(present.hash, { maxBytes: MAX_DEFINITION_BYTES });
  return { ...both, action: 'update', changed: changes(before) };
}
