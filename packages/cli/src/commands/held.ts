import type { pauseQueue, pauseRun } from '@palisade/contracts';
import type { Invocation, Output } from '../invocation.ts';
import { emit } from '../output/format.ts';
import { renderRow } from '../output/row.ts';
import { UsageError } from '../tree/usage-error.ts';

/** What the operations that pause and resume answer. */
export type Held = Output<typeof pauseRun> | Output<typeof pauseQueue>;

/** What is meant: a run, or a queue when one is named. */
export function heldTarget(
  run: string | undefined,
  queue: string | undefined,
  verb: string,
): { readonly run: string } | { readonly name: string } {
  if (queue === undefined) return { run: run ?? '-' };
  if (run !== undefined)
    throw new UsageError('a run and a queue are named: only one can be meant', {
      next: `pal ${verb} ${run}`,
    });
  return { name: queue };
}

/** Says what became of the wish, as one row. */
export function tellHeld(
  invocation: Invocation,
  answer: Held,
  words: { readonly wish: string; readonly unchanged: string },
): void {
  const wish = invocation.isDryRun ? `would be ${words.wish}` : words.wish;
  const title = answer.accepted ? wish : words.unchanged;
  const id = 'name' in answer ? answer.name : answer.run_id;
  const state = 'name' in answer ? 'note' : answer.state;
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [id],
    text: () => [renderRow({ state, id, title }, invocation.settings.style)],
  });
}
