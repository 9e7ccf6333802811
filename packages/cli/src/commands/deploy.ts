import { statSync } from 'node:fs';
import { deploy, type DeployChange, isPalisadeError } from '@palisade/contracts';
import type { Input, Invocation, Output } from '../invocation.ts';
import { Interrupted } from '../interrupt.ts';
import { disclosureLines } from '../manifest/manifest-disclosure.ts';
import { entryProblem, type ManifestEntries, manifestEntries } from '../manifest/manifest-entries.ts';
import { type ManifestFile, readManifest, refuseProblems } from '../manifest/manifest-file.ts';
import { emit } from '../output/format.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { shellWords } from '@palisade/contracts/shell-words';
import { confirm } from '../prompt.ts';
import { deployCommand } from '../tree/deploy-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import { userPath } from '../user-path.ts';
import { changeExit, changeLines, changeSummary } from './deploy-rows.ts';
import type { Handler } from './handler.ts';

const NAMES = ['palisade.yaml', 'palisade.yml'];

/** `pal deploy`: a manifest is read and checked, what it changes is planned, and then carried out in order (DI-050). */
export const execute: Handler<typeof deployCommand> = async (invocation, _args, flags) => {
  const file = readManifest(invocation, flags.from ?? found(invocation));
  const read = await manifestEntries(invocation, file);
  refuseProblems(file.shown, read.problems);
  for (const warning of read.warnings) invocation.err.line(`warning: ${foreignLine(warning)}`);
  // Before anything is set, and before anybody is asked.
  for (const line of disclosureLines(read.disclosure)) invocation.err.line(line);
  const request = {
    name: file.manifest.name,
    entries: read.entries.map(({ entry }) => entry),
    ...(flags.adopt ? { adopt: true } : {}),
  };
  const asked = (more: object): Promise<Output<typeof deploy>> =>
    call(invocation, file, read, { ...request, ...more });

  const prune = flags.prune ? await confirmed(invocation, flags.yes, asked) : undefined;
  const answer = await asked({ ...(prune === undefined ? {} : { prune }), ...invocation.rehearsed });
  emit(invocation, {
    json: { ...answer, ...read.disclosure },
    records: answer.data,
    ids: answer.data.map(({ name }) => name),
    text: () => [...changeLines(invocation, answer.data), changeSummary(invocation, answer.data)],
  });
  if (answer.data.some(({ action }) => action === 'keep')) {
    const from = flags.from === undefined ? [] : ['--from', flags.from];
    invocation.hint(`pal ${shellWords(['deploy', ...from, '--prune', '--dry-run'])}`);
  }
  return changeExit(answer.data);
};

/** The manifest that lies here. */
function found({ directory }: Invocation): string {
  const name = NAMES.find(
    (candidate) => statSync(userPath(directory, candidate), { throwIfNoEntry: false }) !== undefined,
  );
  if (name !== undefined) return name;
  throw new UsageError('there is no palisade.yaml here', { next: 'pal deploy --from FILE' });
}

/** The names to remove: those that were shown to somebody who agreed, and in a dry run or with `--yes` all of them. */
async function confirmed(
  invocation: Invocation,
  isAgreed: boolean,
  asked: (more: object) => Promise<Output<typeof deploy>>,
): Promise<Input<typeof deploy>['prune']> {
  if (invocation.isDryRun || isAgreed) return true;
  const { data } = await asked({ prune: true, dry_run: true });
  const removed: readonly DeployChange[] = data.filter(({ action }) => action === 'remove');
  if (removed.length === 0) return [];
  for (const { kind, name } of removed) invocation.err.line(`remove   ${kind} ${foreignLine(name)}`);
  if (!(await confirm(invocation, deployCommand.asks.prune))) throw new Interrupted('nothing was changed');
  return removed.map(({ kind, name }) => ({ kind, name }));
}

/** Calls the operation; what it finds wrong is told where it stands in the manifest. */
async function call(
  invocation: Invocation,
  file: ManifestFile,
  { entries }: ManifestEntries,
  input: Input<typeof deploy>,
): Promise<Output<typeof deploy>> {
  try {
    return await invocation.call(deploy, input);
  } catch (error) {
    if (isPalisadeError(error) && error.issues.some(({ path }) => path.startsWith('entries[')))
      refuseProblems(
        file.shown,
        error.issues.map((issue) => entryProblem(file, entries, issue)),
        error.code,
      );
    throw error;
  }
}
