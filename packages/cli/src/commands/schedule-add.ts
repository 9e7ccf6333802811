import { addSchedule } from '@palisade/contracts';
import type { Input } from '../invocation.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import { moment } from '../output/time.ts';
import { parseJson, readInput } from '../read-input.ts';
import type { scheduleAddCommand } from '../tree/schedule-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import { submitting, warnEmpty, wishes } from '../wishes.ts';
import type { Handler } from './handler.ts';

/** `pal schedule add NAME PLAN`: keeps the plan as it is now, and makes sure that an engine is there for it. */
export const execute: Handler<typeof scheduleAddCommand> = async (invocation, args, flags) => {
  if (flags.cron === undefined)
    throw new UsageError('a schedule needs its times', {
      next: `pal schedule add ${args.name} ${args.plan} --cron "30 2 * * *"`,
    });
  const plan = parseJson(await readInput(invocation, args.plan), args.plan, 'invalid_plan');
  const submission = { plan, ...wishes(invocation, flags) };
  if (submission.repository === undefined && !flags.empty) warnEmpty(invocation);
  const request: Input<typeof addSchedule> = {
    name: args.name,
    cron: flags.cron,
    ...(flags.zone === undefined ? {} : { zone: flags.zone }),
    ...(flags.catchUp === undefined ? {} : { catch_up: flags.catchUp }),
    ...(flags.catchUpLimit === undefined ? {} : { catch_up_limit: flags.catchUpLimit }),
    ...(flags.overlap === undefined ? {} : { overlap: flags.overlap }),
    submission,
    ...invocation.rehearsed,
  };
  const answer = await submitting(submission.repository, invocation.call(addSchedule, request));
  for (const warning of answer.warnings) invocation.err.line(`warning: ${foreignLine(warning)}`);
  const { schedule } = answer;
  if (!invocation.isDryRun) await (await invocation.controlPlane()).ensureEngine();
  emit(invocation, {
    json: answer,
    records: [schedule],
    ids: [schedule.name],
    text: () => [
      `${outcome(invocation, 'add')}${schedule.name}  ${schedule.cron}  ${schedule.zone}  ${foreignLine(schedule.title)}`,
      ...answer.next.map((time) => `         ${moment(time, invocation.settings.times)}`),
    ],
  });
  if (!invocation.isDryRun)
    invocation.hint(`pal schedule show ${schedule.name}`, `pal schedule run-now ${schedule.name}`);
  return 0;
};
