import { decides } from '../config/config.ts';
import { foreignLine, foreignName } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import type { configExplainCommand } from '../tree/installation-commands.ts';
import type { Handler } from './handler.ts';

/** `pal config explain KEY`: every layer, strongest first, and the one that wins. */
export const execute: Handler<typeof configExplainCommand> = async (invocation, args) => {
  const layers = invocation.config.layers(args.key);
  const winner = layers.find(decides);
  const rows = layers.map((layer) => ({
    source: layer.source,
    where: layer.where,
    value: layer.value ?? null,
    wins: layer === winner,
  }));
  emit(invocation, {
    json: { key: args.key, value: winner?.value ?? null, layers: rows },
    records: rows,
    ids: [args.key],
    text: () => [
      `${args.key} = ${foreignLine(winner?.value ?? '(not set)')}`,
      ...rows.map(
        (row) =>
          `${row.wins ? '*' : ' '} ${row.source.padEnd(12)} ${foreignLine(row.value ?? '-').padEnd(12)} ${foreignName(row.where)}`,
      ),
    ],
  });
  return 0;
};
