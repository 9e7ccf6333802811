import {
  archiveProject,
  type AuditAction,
  type BoundOperation,
  bindOperation,
  type CallContext,
  createProject,
  getProject,
  listProjects,
  type Operation,
  PalisadeError,
  restoreProject,
} from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';
import { change } from '../callers/change.ts';
import { assertActive, assertRulesProjects, type Project, projectView } from './project.ts';
import {
  existingProject,
  findProject,
  insertProject,
  listProjectRows,
  markArchived,
} from './project-store.ts';
import type { ProjectsDeps } from './project-ports.ts';

const PAGE = 100;

/** The operations on projects (AC-068…AC-070). */
export function projectOperations(deps: ProjectsDeps): BoundOperation[] {
  const { database, ports } = deps;
  return [
    bindOperation(createProject, async ({ dry_run: dryRun, ...input }, context) => {
      const made = {
        operation: createProject,
        action: 'project.created',
        target: input.key,
        request: input,
        dryRun,
      } as const;
      const { answer } = await change(database, context, made, async (tx) => {
        assertRulesProjects(context.caller);
        const { key } = input;
        if ((await findProject(tx, key)) !== undefined)
          throw new PalisadeError('already_exists', `there is a project ${key} already`, {
            next: `pal project show ${key}, or choose another key`,
          });
        const project: Project = {
          key,
          title: input.title ?? key,
          repositoryUrl: input.repository_url ?? null,
          targetBranch: input.target_branch ?? null,
          policyRevision: 1,
          createdAt: tx.now,
          archived: null,
        };
        await insertProject(tx, project);
        await ports.created(tx, key);
        return { answer: projectView(project), target: key };
      });
      return answer;
    }),
    bindOperation(listProjects, ({ archived = false, limit = PAGE, cursor }, { caller }) =>
      database.read(async (tx) => {
        const page = { archived, only: caller.project, after: cursor, limit: limit + 1 };
        const found = await listProjectRows(tx, page);
        const data = found.slice(0, limit).map(projectView);
        const last = data.at(-1);
        const hasMore = found.length > limit;
        return {
          data,
          only_project: caller.project,
          has_more: hasMore,
          ...(hasMore && last !== undefined ? { next_cursor: last.key } : {}),
        };
      }),
    ),
    bindOperation(getProject, (_, { project }) =>
      database.read(async (tx) => projectView(await existingProject(tx, project))),
    ),
    bindOperation(archiveProject, ({ reason, dry_run: dryRun }, context) =>
      move(
        deps,
        { operation: archiveProject, action: 'project.archived', reason, dryRun },
        context,
        async (tx, project) => {
          assertActive(project);
          if (await ports.isBusy(tx, project.key))
            throw new PalisadeError('project_active', `runs of the project ${project.key} have not ended`, {
              next: `pal status --project ${project.key}: wait for them, or cancel them`,
            });
          await markArchived(tx, project.key, { by: context.actor, reason });
          await ports.held(tx, project.key, true);
        },
      ),
    ),
    bindOperation(restoreProject, ({ reason, dry_run: dryRun }, context) =>
      move(
        deps,
        { operation: restoreProject, action: 'project.restored', reason, dryRun },
        context,
        async (tx, project) => {
          if (project.archived === null)
            throw new PalisadeError('project_not_archived', `the project ${project.key} is not archived`, {
              next: `pal project show ${project.key}`,
            });
          await markArchived(tx, project.key, null);
          await ports.held(tx, project.key, false);
        },
      ),
    ),
  ];
}

async function move(
  { database }: ProjectsDeps,
  {
    operation,
    action,
    reason,
    dryRun,
  }: {
    readonly operation: Operation;
    readonly action: Extract<AuditAction, 'project.archived' | 'project.restored'>;
    readonly reason: string;
    readonly dryRun: boolean | undefined;
  },
  context: CallContext,
  apply: (tx: WriteTx, project: Project) => Promise<void>,
) {
  const { project: key } = context;
  const made = { operation, action, target: key, request: { reason }, dryRun };
  const { answer } = await change(database, context, made, async (tx) => {
    assertRulesProjects(context.caller);
    await apply(tx, await existingProject(tx, key));
    return { answer: projectView(await existingProject(tx, key)), target: key };
  });
  return answer;
}
