import { collectStorage } from '@palisade/contracts';
import type { Output } from '../invocation.ts';
import { emit } from '../output/format.ts';
import { byteSize, count, moment } from '../output/time.ts';
import type { gcCommand } from '../tree/installation-commands.ts';
import type { Handler } from './handler.ts';

type Answer = Output<typeof collectStorage>;

/** `pal gc`: housekeeping now instead of once a day, by the same rules. */
export const execute: Handler<typeof gcCommand> = async (invocation) => {
  const answer = await invocation.call(collectStorage, { ...invocation.rehearsed });
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [],
    text: () => [
      `${answer.dry_run ? 'would remove' : 'removed'}  ${removedText(answer)}`,
      answer.runs_before === undefined
        ? 'runs are kept for ever, or as their plans say (PALISADE_RETENTION_DAYS changes that)'
        : `runs are kept that ended after ${moment(answer.runs_before, invocation.settings.times)}`,
    ],
  });
  if (answer.dry_run) invocation.hint('pal gc');
  return 0;
};

function removedText({ runs, receipts, secrets, idle_sessions: sessions, attempts, blobs }: Answer): string {
  const parts = [
    runs === 0 ? '' : count(runs, 'run'),
    receipts === 0 ? '' : count(receipts, 'old answer'),
    secrets === 0 ? '' : count(secrets, 'expired secret'),
    sessions === 0 ? '' : count(sessions, 'idle session'),
    attempts === 0 ? '' : count(attempts, 'left directory', 'left directories'),
    blobs.removed === 0
      ? ''
      : `${count(blobs.removed, 'unreachable blob')} of ${blobs.removed + blobs.kept}, ${byteSize(blobs.bytes)}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
