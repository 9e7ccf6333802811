import {
  AgentDefinition,
  bindOperation,
  type BlobStore,
  type BoundOperation,
  type ContentHash,
  getAgent,
  listAgents,
  listStaleAgents,
  PalisadeError,
  rebindAgent,
  registerAgent,
  type StaleBinding,
} from '@palisade/contracts';
import { type Database, latestRevision, listNames, type ReadTx } from '@palisade/kernel';
import { catalogueReads, registerContent } from '../catalogue.ts';
import { getDefinition, putDefinition } from '../definition-store.ts';
import {
  agentDefinition,
  assertDistinctCapabilities,
  type Binding,
  scanAgent,
  staleBindings,
} from './agent.ts';

const KIND = 'agent';
const PAGE = 500;

/** An agent's latest definition and its address. */
export interface ResolvedAgent {
  readonly hash: ContentHash;
  readonly definition: AgentDefinition;
}

interface Rooms {
  readonly database: Database;
  readonly blobs: BlobStore;
}

/** The operations on agents (DI-043, DI-044, DI-049). */
export function agentOperations(rooms: Rooms): BoundOperation[] {
  const { database, blobs } = rooms;
  return [
    bindOperation(registerAgent, async ({ dry_run: dryRun, ...input }, context) => {
      const names = input.capabilities ?? [];
      assertDistinctCapabilities(names);
      scanAgent(input);
      const definition = agentDefinition(input, await bindNow(database, names));
      const hash = await putDefinition(blobs, definition, dryRun);
      // The request is what was asked, not what its names mean by now: a repeat gets the first answer.
      const call = { operation: registerAgent.id, request: input, dryRun };
      return registerContent(database, context, call, { kind: KIND, name: input.name, hash });
    }),

    bindOperation(rebindAgent, async ({ name }, context) => {
      const { definition } = await resolveAgent(rooms, name);
      const names = definition.capabilities.map((bound) => bound.name);
      const hash = await putDefinition(blobs, {
        ...definition,
        capabilities: await bindNow(database, names),
      });
      const call = { operation: rebindAgent.id, request: { name } };
      return registerContent(database, context, call, { kind: KIND, name, hash });
    }),

    bindOperation(listStaleAgents, async ({ name }) => {
      const data: StaleBinding[] = [];
      for await (const agent of name === undefined ? everyAgent(database) : [name]) {
        const resolved = await resolveAgent(rooms, agent);
        const latest = await database.read((tx) => latestHashes(tx, resolved.definition.capabilities));
        data.push(...staleBindings(resolved, latest));
      }
      return { data };
    }),

    ...catalogueReads(database, KIND, { list: listAgents, get: getAgent }),
  ];
}

/** The latest definition of an agent; `not_found`. */
export async function resolveAgent({ database, blobs }: Rooms, name: string): Promise<ResolvedAgent> {
  const revision = await database.read((tx) => latestRevision(tx, KIND, name));
  if (revision === null) throw new PalisadeError('not_found', `there is no agent ${name}`);
  return { hash: revision.hash, definition: await getDefinition(blobs, AgentDefinition, revision.hash) };
}

/** The names with the content they have now, all from one snapshot; every unknown one is reported. */
async function bindNow(database: Database, names: readonly string[]): Promise<Binding[]> {
  const latest = await database.read((tx) =>
    latestHashes(
      tx,
      names.map((name) => ({ name })),
    ),
  );
  const unknown = names.filter((name) => !latest.has(name));
  if (unknown.length > 0)
    throw new PalisadeError('not_found', `there is no capability ${unknown.join(', ')}`, {
      issues: unknown.map((name) => ({ path: 'capabilities', message: `no capability ${name}` })),
      next: 'register the capability first',
    });
  return [...latest].map(([name, hash]) => ({ name, hash }));
}

/** In the order of `names`; what is not registered is left out. */
async function latestHashes(
  tx: ReadTx,
  names: readonly { readonly name: string }[],
): Promise<Map<string, ContentHash>> {
  const latest = new Map<string, ContentHash>();
  for (const { name } of names) {
    const revision = await latestRevision(tx, 'capability', name);
    if (revision !== null) latest.set(name, revision.hash);
  }
  return latest;
}

async function* everyAgent(database: Database): AsyncGenerator<string> {
  let after: string | undefined;
  do {
    const from = after;
    const page = await database.read((tx) => listNames(tx, KIND, { after: from, limit: PAGE }));
    for (const { name } of page.revisions) yield name;
    after = page.next ?? undefined;
  } while (after !== undefined);
}
