import { removeSchedule } from '@palisade/contracts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import type { scheduleRmCommand } from '../tree/schedule-commands.ts';
import type { Handler } from './handler.ts';

/** `pal schedule rm NAME`. */
export const execute: Handler<typeof scheduleRmCommand> = async (invocation, args) => {
  const answer = await invocation.call(removeSchedule, { name: args.name, ...invocation.rehearsed });
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [answer.name],
    text: () => [`${outcome(invocation, 'remove')}${answer.name}  its runs stay`],
  });
  return 0;
};
