import { rerun } from '@palisade/contracts';
import { rememberRun } from '../completion/cache.ts';
import { followAndReport } from '../follow/follow-command.ts';
import { emit } from '../output/format.ts';
import { count } from '../output/time.ts';
import type { rerunCommand } from '../tree/run-commands.ts';
import type { Handler } from './handler.ts';

/** `pal rerun RUN`: a new run of the same plan on the same base, followed like `pal run`. */
export const execute: Handler<typeof rerunCommand> = async (invocation, args, flags) => {
  const answer = await invocation.call(rerun, {
    run: args.run,
    ...invocation.rehearsed,
    ...(flags.onlyFailed ? { only_failed: true } : {}),
    ...(flags.runId === undefined ? {} : { run_id: flags.runId }),
    ...(invocation.config.isOn('require_isolation') ? { require_isolation: true } : {}),
  });
  if (invocation.isDryRun) {
    const text = () => [`would start  ${answer.run_id}  ${count(answer.items, 'item')}`];
    emit(invocation, { json: answer, records: [answer], ids: [answer.run_id], text });
    return 0;
  }
  const plane = await invocation.controlPlane();
  rememberRun(plane.directory, answer.run_id, '');
  await plane.ensureEngine();
  if (!flags.detach) return followAndReport(invocation, answer.run_id, flags);
  if (!invocation.settings.isQuiet) invocation.err.line(`queued   ${count(answer.items, 'item')}`);
  emit(invocation, { json: answer, records: [answer], ids: [answer.run_id], text: () => [answer.run_id] });
  invocation.hint(`pal watch ${answer.run_id}`);
  return 0;
};
