import { PalisadeError } from '@palisade/contracts';
import { printAnswer } from '../api/print-answer.ts';
import { emit } from '../output/format.ts';
import type { retryCommand } from '../tree/connection-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

/** `pal retry`: never with a new key, and the answer is printed as the server gave it (AO-040). */
export const execute: Handler<typeof retryCommand> = async (invocation, _args, flags) => {
  const { interrupted } = invocation;
  const changes = await (await invocation.controlPlane()).changes?.();
  if (changes === undefined)
    throw new UsageError('no server is set', {
      why: 'in process a change is made or it is not',
      next: 'pal config set server ORIGIN',
    });
  if (flags.giveUp !== undefined) {
    const key = flags.giveUp;
    if (!(await changes.giveUp(key, interrupted)))
      throw new PalisadeError('not_found', 'no change with that key is pending', { next: 'pal retry' });
    emit(invocation, {
      json: { forgotten: key },
      records: [{ forgotten: key }],
      ids: [key],
      text: () => [`ok       forgotten  ${key}`],
    });
    return 0;
  }
  const told = await changes.retry(interrupted);
  if (told !== undefined) return printAnswer(invocation, told.operation, told.answer);
  emit(invocation, {
    json: { pending: null },
    records: [],
    ids: [],
    text: () => ['nothing is pending'],
  });
  return 0;
};
