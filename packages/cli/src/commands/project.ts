import {
  archiveProject,
  createProject,
  getProject,
  listProjects,
  type ProjectView,
  restoreProject,
} from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import { moment } from '../output/time.ts';
import { pageOf } from '../page.ts';
import type {
  projectArchiveCommand,
  projectCreateCommand,
  projectListCommand,
  projectRestoreCommand,
  projectShowCommand,
} from '../tree/project-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

/** `pal project create KEY`. */
export const create: Handler<typeof projectCreateCommand> = async (invocation, args, flags) => {
  const { title, repositoryUrl, targetBranch } = flags;
  const answer = await invocation.call(createProject, {
    key: args.key,
    ...(title === undefined ? {} : { title }),
    ...(repositoryUrl === undefined ? {} : { repository_url: repositoryUrl }),
    ...(targetBranch === undefined ? {} : { target_branch: targetBranch }),
    ...invocation.rehearsed,
  });
  emit(invocation, told(invocation, answer, [`${outcome(invocation, 'create')}${answer.key}`]));
  if (!invocation.isDryRun) invocation.hint(`pal config set --repo project ${answer.key}`);
  return 0;
};

/** `pal project list`. */
export const list: Handler<typeof projectListCommand> = async (invocation, _args, flags) => {
  const answer = await invocation.call(listProjects, {
    ...(flags.archived ? { archived: true } : {}),
    ...pageOf(flags),
  });
  const { data, next_cursor: cursor } = answer;
  emit(invocation, {
    json: answer,
    records: data,
    ids: data.map(({ key }) => key),
    text: () => data.map(({ key, title }) => (key === title ? key : `${key}  ${foreignLine(title)}`)),
  });
  if (cursor !== undefined) invocation.hint(`pal project list --cursor ${cursor}`);
  return 0;
};

/** `pal project show [KEY]`. */
export const show: Handler<typeof projectShowCommand> = async (invocation, { key }) => {
  const answer = await invocation.call(getProject, {}, key === undefined ? {} : { project: key });
  emit(invocation, told(invocation, answer, describe(invocation, answer)));
  return 0;
};

/** `pal project archive KEY --reason WHY`. */
export const archive: Handler<typeof projectArchiveCommand> = async (invocation, { key }, flags) => {
  const reason = reasonOf(flags.reason, `pal project archive ${key}`);
  const input = { reason, ...invocation.rehearsed };
  const answer = await invocation.call(archiveProject, input, { project: key });
  emit(invocation, told(invocation, answer, [`${outcome(invocation, 'archive')}${key}`]));
  return 0;
};

/** `pal project restore KEY --reason WHY`. */
export const restore: Handler<typeof projectRestoreCommand> = async (invocation, { key }, flags) => {
  const reason = reasonOf(flags.reason, `pal project restore ${key}`);
  const input = { reason, ...invocation.rehearsed };
  const answer = await invocation.call(restoreProject, input, { project: key });
  if (!invocation.isDryRun) await (await invocation.controlPlane()).ensureEngine();
  emit(invocation, told(invocation, answer, [`${outcome(invocation, 'restore')}${key}`]));
  return 0;
};

function reasonOf(reason: string | undefined, typed: string): string {
  if (reason !== undefined && reason !== '') return reason;
  throw new UsageError('it needs a reason', { next: `${typed} --reason WHY` });
}

function told(_: Invocation, answer: ProjectView, lines: readonly string[]) {
  return { json: answer, records: [answer], ids: [answer.key], text: () => [...lines] };
}

function describe({ settings }: Invocation, project: ProjectView): string[] {
  const { repository_url: url, target_branch: branch, archived_at: archivedAt } = project;
  const { archived_by: by = '', archive_reason: reason = '' } = project;
  return [
    `${project.key}  ${foreignLine(project.title)}`,
    ...(url === undefined ? [] : [`repository  ${foreignLine(url)}`]),
    ...(branch === undefined ? [] : [`branch      ${foreignLine(branch)}`]),
    `policy      revision ${project.policy_revision}`,
    ...(archivedAt === undefined
      ? []
      : [`archived    ${moment(archivedAt, settings.times)} by ${foreignLine(by)}: ${foreignLine(reason)}`]),
  ];
}
