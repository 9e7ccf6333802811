import { getSchedule } from '@palisade/contracts';
import { foreignLine, foreignName } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { moment } from '../output/time.ts';
import type { scheduleShowCommand } from '../tree/schedule-commands.ts';
import type { Handler } from './handler.ts';
import { scheduleLines, slotLines } from './schedule-rows.ts';

/** `pal schedule show NAME`. */
export const execute: Handler<typeof scheduleShowCommand> = async (invocation, args) => {
  const answer = await invocation.call(getSchedule, { name: args.name });
  const { schedule, next, slots } = answer;
  const { style, times } = invocation.settings;
  const policy = [
    `catch-up ${schedule.catch_up}${schedule.catch_up === 'all' ? ` (at most ${schedule.catch_up_limit})` : ''}`,
    `overlap ${schedule.overlap}`,
    `by ${foreignLine(schedule.actor)}`,
  ];
  const from =
    schedule.repository === undefined
      ? 'an empty workspace'
      : `${foreignName(schedule.repository)}  ${schedule.base ?? 'HEAD'}`;
  emit(invocation, {
    json: answer,
    records: slots,
    ids: [schedule.name],
    text: () => [
      ...scheduleLines(invocation, [schedule]),
      `  from ${from}`,
      `  ${policy.join('  ')}`,
      ...(schedule.next_try_at === undefined
        ? []
        : [`  tries again ${moment(schedule.next_try_at, times)}, after ${schedule.failures} failed`]),
      ...next.map((time, i) => `  ${i === 0 ? 'next' : '    '} ${moment(time, times)}`),
      ...(slots.length === 0 ? [] : [style.paint('strong', `last ${slots.length}`)]),
      ...slotLines(invocation, slots).map((line) => `  ${line}`),
    ],
  });
  const run = slots.find(({ run_id: id }) => id !== undefined)?.run_id;
  if (schedule.state !== 'enabled') invocation.hint(`pal schedule resume ${schedule.name}`);
  else if (!(await (await invocation.controlPlane()).engineLives()))
    invocation.hint(`pal schedule resume ${schedule.name}  (no engine is here to serve it: it starts one)`);
  else if (run !== undefined) invocation.hint(`pal show ${run}`);
  return 0;
};
