import { listSchedules } from '@palisade/contracts';
import { emit } from '../output/format.ts';
import type { scheduleListCommand } from '../tree/schedule-commands.ts';
import type { Handler } from './handler.ts';
import { scheduleLines } from './schedule-rows.ts';

/** `pal schedule list`. */
export const execute: Handler<typeof scheduleListCommand> = async (invocation) => {
  const answer = await invocation.call(listSchedules, {});
  emit(invocation, {
    json: answer,
    records: answer.data,
    ids: answer.data.map(({ name }) => name),
    text: () => (answer.data.length === 0 ? ['no schedules yet'] : scheduleLines(invocation, answer.data)),
  });
  const waiting = answer.data.find(({ state }) => state === 'enabled');
  if (answer.data.length === 0) invocation.hint('pal schedule add NAME PLAN --cron "30 2 * * *"');
  else if (waiting !== undefined && !(await (await invocation.controlPlane()).engineLives()))
    invocation.hint(`pal schedule resume ${waiting.name}  (no engine is here to serve them: it starts one)`);
  return 0;
};
