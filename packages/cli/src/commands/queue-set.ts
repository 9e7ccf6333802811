import { type QueueRate, setQueue } from '@palisade/contracts';
import type { Input } from '../invocation.ts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import type { FlagValues } from '../tree/declaration.ts';
import type { queueSetCommand } from '../tree/registry-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import { wholeNumber } from '../whole-number.ts';
import type { Handler } from './handler.ts';
import { rateText } from './queue-rows.ts';

/** `pal queue set NAME --concurrency N --rate 30/m --max-open-runs N`. */
export const execute: Handler<typeof queueSetCommand> = async (invocation, args, flags) => {
  const limits = limitsOf(flags);
  if (Object.keys(limits).length === 0)
    throw new UsageError('a queue needs a limit', { next: `pal queue set ${args.name} --concurrency N` });
  const answer = await invocation.call(setQueue, { name: args.name, ...limits, ...invocation.rehearsed });
  const before = answer.previous === undefined ? 'new' : `before ${answer.previous}`;
  const others = [
    answer.rate === undefined ? '' : `at most ${rateText(answer.rate)} starts`,
    answer.max_open_runs === undefined ? '' : `at most ${answer.max_open_runs} open runs`,
    answer.max_priority === undefined ? '' : `priority up to ${answer.max_priority}`,
  ].filter((part) => part !== '');
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [answer.name],
    text: () => [
      [
        `${outcome(invocation, 'set')}${answer.name}  ${answer.concurrency} at once  ${before}`,
        ...others,
      ].join('  '),
    ],
  });
  if (!invocation.isDryRun) invocation.hint(`pal queue show ${answer.name}`);
  return 0;
};

function limitsOf({
  concurrency,
  rate,
  maxOpenRuns,
  maxPriority,
}: FlagValues<typeof queueSetCommand>): Omit<Input<typeof setQueue>, 'name' | 'dry_run'> {
  return {
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(rate === undefined ? {} : { rate: rate === 'none' ? null : rateOf(rate) }),
    ...(maxOpenRuns === undefined
      ? {}
      : { max_open_runs: maxOpenRuns === 'none' ? null : wholeNumber(maxOpenRuns, '--max-open-runs') }),
    ...(maxPriority === undefined ? {} : { max_priority: wholeNumber(maxPriority, '--max-priority') }),
  };
}

const WINDOWS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

function rateOf(word: string): QueueRate {
  const [, starts, unit = ''] = /^([1-9]\d{0,5})\/([smhd])$/.exec(word) ?? [];
  const window = WINDOWS[unit];
  if (starts === undefined || window === undefined)
    throw new UsageError(`--rate "${word}" is no rate`, { next: 'write it like 30/m, or none' });
  return { starts: Number(starts), window_seconds: window };
}
