import { getUsage } from '@palisade/contracts';
import type { Invocation, Output } from '../invocation.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { unknownText } from '../output/spent-text.ts';
import { count, elapsed } from '../output/time.ts';
import { pad } from '../output/width.ts';
import type { usageCommand } from '../tree/run-commands.ts';
import type { Handler } from './handler.ts';

type Usage = Output<typeof getUsage>;

/** `pal usage [--since TIME] [--by agent|model|queue|actor]`. */
export const execute: Handler<typeof usageCommand> = async (invocation, _args, flags) => {
  const answer = await invocation.call(getUsage, {
    ...(flags.by === undefined ? {} : { by: flags.by }),
    ...(flags.since === undefined ? {} : { since: Math.max(0, Date.now() - flags.since) }),
  });
  emit(invocation, {
    json: answer,
    records: answer.data,
    ids: answer.data.map(({ key }) => key ?? ''),
    text: () => lines(invocation, answer),
  });
  return 0;
};

function lines({ settings }: Invocation, { by, data, total }: Usage): string[] {
  if (data.length === 0) return ['no attempt has ended yet'];
  const rows = [
    ...data.map((row) => ({ name: row.key === undefined ? 'unknown' : foreignLine(row.key), row })),
    { name: 'total', row: total },
  ];
  const width = Math.min(60, Math.max(...rows.map(({ name }) => name.length), by.length));
  return [
    settings.style.paint('strong', `${pad(by, width)}  cost  attempts  tokens  time`),
    ...rows.map(({ name, row }) =>
      [
        pad(name, width),
        `$${row.cost_usd.toFixed(2)}`,
        count(row.attempts, 'attempt'),
        count(row.tokens, 'token'),
        elapsed(row.seconds * 1000),
        unknownText(row.unknown_cost),
      ]
        .filter((part) => part !== '')
        .join('  '),
    ),
  ];
}
