import { runScheduleNow } from '@palisade/contracts';
import { rememberRun } from '../completion/cache.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import { count } from '../output/time.ts';
import { sandboxText } from '../output/sandbox-text.ts';
import type { scheduleRunNowCommand } from '../tree/schedule-commands.ts';
import type { Handler } from './handler.ts';

/** `pal schedule run-now NAME`: submits and returns; its times stay as they are. */
export const execute: Handler<typeof scheduleRunNowCommand> = async (invocation, args) => {
  const answer = await invocation.call(runScheduleNow, { name: args.name, ...invocation.rehearsed });
  for (const warning of answer.warnings) invocation.err.line(`warning: ${foreignLine(warning)}`);
  if (!invocation.isDryRun) {
    const plane = await invocation.controlPlane();
    rememberRun(plane.directory, answer.run_id, args.name);
    await plane.ensureEngine();
  }
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [answer.run_id],
    text: () => [
      `${outcome(invocation, 'start')}${answer.run_id}  ${count(answer.items, 'item')}, ${sandboxText(answer)}`,
    ],
  });
  if (!invocation.isDryRun) invocation.hint(`pal watch ${answer.run_id}`);
  return 0;
};
