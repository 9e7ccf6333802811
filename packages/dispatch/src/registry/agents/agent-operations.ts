import {
  AgentDefinition,
  type AgentInput,
  bindOperation,
  type BoundOperation,
  type ContentHash,
  type InputIssue,
  getAgent,
  listAgents,
  listStaleAgents,
  PalisadeError,
  rebindAgent,
  registerAgent,
  removeAgent,
  type StaleBinding,
} from '@palisade/contracts';
import { listNames, type ReadTx } from '@palisade/kernel';
import {
  catalogueList,
  catalogueRemove,
  findRevision,
  history,
  registerContent,
  type Registered,
  type Registration,
} from '../catalogue.ts';
import { getDefinition, putDefinition } from '../definition-store.ts';
import {
  agentDefinition,
  agentView,
  assertDistinctCapabilities,
  type Binding,
  scanAgent,
  staleBindings,
} from './agent.ts';
import { warned } from '../pipelines/warned.ts';
import { type ProjectRooms, type RegistryRooms, roomsOf } from '../project-rooms.ts';

const KIND = 'agent';
const PAGE = 500;

/** An agent's latest definition and its address. */
export interface ResolvedAgent {
  readonly hash: ContentHash;
  readonly definition: AgentDefinition;
}

type Rooms = Omit<ProjectRooms, 'secrets'>;

/** The operations on agents (DI-043, DI-044, DI-049). */
export function agentOperations(all: RegistryRooms): BoundOperation[] {
  const { database, blobs } = all;
  return [
    bindOperation(registerAgent, async ({ dry_run: dryRun, ...input }, context) => {
      const rooms = roomsOf(all, context.project);
      const answer = warned(
        await registerAgentAs(rooms, input, { context, dryRun }),
        'pipeline',
        input.pipeline,
      );
      const missing = await missingEndpoint(rooms, input);
      return missing === null ? answer : { ...answer, warnings: [missing, ...(answer.warnings ?? [])] };
    }),

    bindOperation(rebindAgent, async ({ name, dry_run: dryRun }, context) => {
      const rooms = roomsOf(all, context.project);
      const content = async () => {
        const { definition } = await resolveAgent(rooms, name);
        return putDefinition(blobs, await boundAnew(rooms, definition), dryRun);
      };
      const call = { operation: rebindAgent.id, request: { name } };
      return registerContent(database, { context, dryRun }, call, { kind: KIND, name, content });
    }),

    bindOperation(listStaleAgents, async ({ name }, { project }) => {
      const rooms = roomsOf(all, project);
      const data: StaleBinding[] = [];
      for await (const agent of name === undefined ? everyAgent(rooms) : [name]) {
        const resolved = await resolveAgent(rooms, agent);
        const names = resolved.definition.capabilities.map((bound) => bound.name);
        const now = await database.read((tx) => findBindings(tx, project, names));
        data.push(...staleBindings(resolved, now));
      }
      return { data };
    }),

    catalogueList(database, KIND, listAgents),
    bindOperation(getAgent, async ({ name }, { project }) => {
      const found = await database.read((tx) => history(tx, { project, kind: KIND }, name));
      if (found.row === null) return { ...found, agent: null };
      return { ...found, agent: agentView(await getDefinition(blobs, AgentDefinition, found.row.hash)) };
    }),
    catalogueRemove(database, KIND, removeAgent),
  ];
}

/**
 * The definition that registering an agent would give. `pending` is content that capability names will
 * have when the agent is registered. Raises `not_found` for unknown ones, `credential_in_text`.
 */
export async function draftAgent(
  rooms: Pick<Rooms, 'project' | 'database'>,
  input: AgentInput,
  pending?: ReadonlyMap<string, Binding>,
): Promise<AgentDefinition> {
  scanAgent(input);
  return agentDefinition(input, await bindNow(rooms, input.capabilities ?? [], pending));
}

/** That an agent names a model endpoint that is not there, which it may be by the time it is run; null when there is nothing to say. */
async function missingEndpoint(
  { project, database }: Pick<Rooms, 'project' | 'database'>,
  { run }: AgentInput,
): Promise<InputIssue | null> {
  const named = 'model_endpoint' in run ? run.model_endpoint : undefined;
  if (named === undefined) return null;
  const names = { project, kind: 'model-endpoint' } as const;
  if ((await database.read((tx) => findRevision(tx, names, named))) !== null) return null;
  return {
    path: 'run.model_endpoint',
    message: `there is no model endpoint ${named} yet: no run of the agent is admitted before pal model-endpoint set`,
  };
}

/** Registers an agent; see {@link draftAgent}. */
export async function registerAgentAs(
  rooms: Rooms,
  input: AgentInput,
  registration: Registration,
): Promise<Registered> {
  const content = async () => putDefinition(rooms.blobs, await draftAgent(rooms, input), registration.dryRun);
  // The request is what was asked, not what its names mean by now: a repeat gets the first answer.
  const call = { operation: registerAgent.id, request: input };
  return registerContent(rooms.database, registration, call, { kind: KIND, name: input.name, content });
}

/** The latest definition of an agent, or the one an address names; `not_found`. */
export async function resolveAgent(
  { project, database, blobs }: Rooms,
  nameOrHash: string,
): Promise<ResolvedAgent> {
  const revision = await database.read((tx) => findRevision(tx, { project, kind: KIND }, nameOrHash));
  if (revision === null)
    throw new PalisadeError('not_found', `there is no agent ${nameOrHash}`, {
      next: 'palisade agent list',
    });
  return { hash: revision.hash, definition: await getDefinition(blobs, AgentDefinition, revision.hash) };
}

/** The names with the content they have now, and what addresses name, all from one snapshot; every unknown one is reported. */
async function bindNow(
  { project, database }: Pick<Rooms, 'project' | 'database'>,
  names: readonly string[],
  pending: ReadonlyMap<string, Binding> = new Map(),
): Promise<Binding[]> {
  assertDistinctCapabilities(names);
  const found = await database.read((tx) => findBindings(tx, project, names, pending));
  const unknown = names.filter((name) => !found.has(name));
  if (unknown.length > 0)
    throw new PalisadeError('not_found', `there is no capability ${unknown.join(', ')}`, {
      issues: unknown.map((name) => ({ path: 'capabilities', message: `no capability ${name}` })),
      next: 'register the capability first',
    });
  const bindings = [...found.values()];
  assertDistinctCapabilities(bindings.map(({ name }) => name));
  return bindings;
}

/** In the order of `names`; what is not registered is left out. */
async function findBindings(
  tx: ReadTx,
  project: string,
  names: readonly string[],
  pending: ReadonlyMap<string, Binding> = new Map(),
): Promise<Map<string, Binding>> {
  const found = new Map<string, Binding>();
  for (const asked of names) {
    const revision = pending.get(asked) ?? (await findRevision(tx, { project, kind: 'capability' }, asked));
    if (revision !== null) found.set(asked, { name: revision.name, hash: revision.hash });
  }
  return found;
}

/** The definition with what its capabilities' names mean now; one whose name means nothing any more stays as it is. */
async function boundAnew(
  { project, database }: Rooms,
  definition: AgentDefinition,
): Promise<AgentDefinition> {
  const names = definition.capabilities.map((bound) => bound.name);
  const now = await database.read((tx) => findBindings(tx, project, names));
  return {
    ...definition,
    capabilities: definition.capabilities.map((bound) => now.get(bound.name) ?? bound),
  };
}

async function* everyAgent({ project, database }: Rooms): AsyncGenerator<string> {
  let after: string | undefined;
  do {
    const from = after;
    const page = await database.read((tx) =>
      listNames(tx, { project, kind: KIND }, { after: from, limit: PAGE }),
    );
    for (const { name } of page.revisions) yield name;
    after = page.next ?? undefined;
  } while (after !== undefined);
}
