import {
  bindOperation,
  type BoundOperation,
  type ContentHash,
  getPipeline,
  listPipelines,
  PalisadeError,
  PipelineDefinition,
  type PipelineInput,
  registerPipeline,
  removePipeline,
} from '@palisade/contracts';
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
import type { ProjectRooms, RegistryRooms } from '../project-rooms.ts';
import { pipelineDefinition, scanPipeline } from './pipeline.ts';
import { warned } from './warned.ts';

const KIND = 'pipeline';

/** A pipeline's definition and its address. */
export interface ResolvedPipeline {
  readonly hash: ContentHash;
  readonly definition: PipelineDefinition;
}

/** The operations on pipelines under names (DI-052). */
export function pipelineOperations(rooms: RegistryRooms): BoundOperation[] {
  const { database } = rooms;
  return [
    bindOperation(registerPipeline, async ({ dry_run: dryRun, ...input }, context) =>
      warned(await registerPipelineAs(rooms, input, { context, dryRun }), 'blocks', input.blocks),
    ),
    catalogueList(database, KIND, listPipelines),
    bindOperation(getPipeline, async ({ name }, { project }) => {
      const found = await database.read((tx) => history(tx, { project, kind: KIND }, name));
      if (found.row === null) return { ...found, blocks: null };
      const { blocks } = await getDefinition(rooms.blobs, PipelineDefinition, found.row.hash);
      return { ...found, blocks };
    }),
    catalogueRemove(database, KIND, removePipeline),
  ];
}

/** The definition that registering a pipeline gives. Raises `credential_in_text`. */
export function draftPipeline(input: PipelineInput): PipelineDefinition {
  scanPipeline(input);
  return pipelineDefinition(input);
}

/** Registers a pipeline; see {@link draftPipeline}. */
export async function registerPipelineAs(
  { database, blobs }: Pick<ProjectRooms, 'database' | 'blobs'>,
  input: PipelineInput,
  registration: Registration,
): Promise<Registered> {
  const content = async () => putDefinition(blobs, draftPipeline(input), registration.dryRun);
  const call = { operation: registerPipeline.id, request: input };
  return registerContent(database, registration, call, { kind: KIND, name: input.name, content });
}

/** The latest definition of a pipeline, or the one an address names; `not_found`. */
export async function resolvePipeline(
  { project, database, blobs }: Omit<ProjectRooms, 'secrets'>,
  ref: string,
): Promise<ResolvedPipeline> {
  const revision = await database.read((tx) => findRevision(tx, { project, kind: KIND }, ref));
  if (revision === null)
    throw new PalisadeError('not_found', `there is no pipeline ${ref}`, {
      next: 'palisade pipeline list',
    });
  return { hash: revision.hash, definition: await getDefinition(blobs, PipelineDefinition, revision.hash) };
}
