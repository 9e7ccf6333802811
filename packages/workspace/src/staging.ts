import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPalisadeError, PalisadeError } from '@palisade/contracts';
import type { ApplyTarget } from './apply-target.ts';
import { patchSections } from './patch-summary.ts';
import { operatorIndex, type PathStates, sameState } from './path-states.ts';
import { pathBytes, pathText } from './path-text.ts';

/** Writes the patch's sections about these paths to a scratch file and gives its path. */
export async function writePart(
  target: ApplyTarget,
  name: string,
  patch: Buffer,
  states: readonly PathStates[],
): Promise<string> {
  const paths = new Set(states.map((state) => state.path));
  const file = join(target.scratch, name);
  await writeFile(
    file,
    Buffer.concat(
      patchSections(patch)
        .filter((section) => paths.has(section.file.path))
        .map((section) => patch.subarray(section.start, section.end)),
    ),
  );
  return file;
}

/**
 * Those paths at which the operator's index holds the patch. An entry that is exactly one side
 * decides; one with other staged changes holds it when the patch can be taken out and not put in.
 * Where that does not decide, a path of `applied` counts as held, so that taking the patch out is
 * refused unless it fits; any other does not.
 */
export async function stagedStates(
  target: ApplyTarget,
  states: readonly PathStates[],
  patch: Buffer,
  applied: readonly PathStates[],
): Promise<PathStates[]> {
  if (target.operator === null) return [];
  const listed = await operatorIndex(
    target,
    states.map((state) => pathBytes(state.path)),
  );
  const entries = new Map(listed.map(({ path, entry }) => [pathText(path), entry]));
  const git = target.operator.with({ failure: 'target_dirty' });
  const held: PathStates[] = [];
  for (const state of states) {
    const entry = entries.get(state.path) ?? null;
    if (sameState(entry, state.before)) continue;
    if (!sameState(entry, state.after)) {
      const file = await writePart(target, 'staged.patch', patch, [state]);
      const fits = async (...flags: string[]) =>
        (
          await git.run(['apply', '--cached', '--check', ...flags, '--whitespace=nowarn', file], {
            accept: [0, 1, 128],
          })
        ).code === 0;
      const [canGoIn, canComeOut] = [await fits(), await fits('--reverse')];
      if (canGoIn === canComeOut ? !applied.includes(state) : canGoIn) continue;
    }
    held.push(state);
  }
  return held;
}

/**
 * Checks that the operator's index takes the patch; the returned step does it. `target_dirty` with
 * git's words when it does not fit or, later, when the index cannot be written.
 */
export async function prepareStaging(
  target: ApplyTarget,
  patchFile: string,
  flags: readonly string[],
): Promise<() => Promise<void>> {
  const { operator } = target;
  if (operator === null)
    throw new PalisadeError(
      'invalid_input',
      `${target.topLevel} is no git repository: nothing can be staged`,
    );
  const git = operator.with({ failure: 'target_dirty' });
  const args = ['apply', '--cached', ...flags, '--whitespace=nowarn'] as const;
  await git.run([...args, '--check', patchFile]).catch((error: unknown) => {
    throw isPalisadeError(error, 'target_dirty')
      ? new PalisadeError('target_dirty', 'the product does not fit what is staged', {
          ...(error.why === undefined ? {} : { why: error.why }),
          next: 'apply without staging, or commit what is staged',
          cause: error,
        })
      : error;
  });
  return async () => {
    await git.run([...args, patchFile]);
  };
}
