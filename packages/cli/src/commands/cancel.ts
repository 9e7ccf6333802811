import { cancelRun } from '@palisade/contracts';
import { emit } from '../output/format.ts';
import { renderRow } from '../output/row.ts';
import { parseItemRef } from '../item-ref.ts';
import type { cancelCommand } from '../tree/run-commands.ts';
import type { Handler } from './handler.ts';

/** `pal cancel RUN[/ITEM]`: running work is really stopped, by the engine that owns it. */
export const execute: Handler<typeof cancelCommand> = async (invocation, args, flags) => {
  const { run, item } = parseItemRef(args.target);
  const answer = await invocation.call(cancelRun, {
    run,
    ...invocation.rehearsed,
    ...(item === undefined ? {} : { item }),
    ...(flags.reason === undefined ? {} : { reason: flags.reason }),
  });
  // Stopping is the engine's work; a run nobody owns needs one to be stopped.
  if (!invocation.isDryRun) await (await invocation.controlPlane()).ensureEngine();
  const what = item === undefined ? answer.run_id : `${answer.run_id}/${item}`;
  const wish = invocation.isDryRun ? 'would be canceled' : 'cancel requested';
  const title = answer.accepted ? wish : 'already stopping or ended';
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [what],
    text: () => [renderRow({ state: answer.state, id: what, title }, invocation.settings.style)],
  });
  if (answer.accepted && !invocation.isDryRun) invocation.hint(`pal watch ${answer.run_id}`);
  return 0;
};
