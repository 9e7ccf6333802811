import { settingKeys } from '../config/keys.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import type { configGetCommand } from '../tree/installation-commands.ts';
import type { Handler } from './handler.ts';

/** `pal config get [KEY]`. */
export const execute: Handler<typeof configGetCommand> = async (invocation, args) => {
  const names = args.key === undefined ? settingKeys.map((key) => key.name) : [args.key];
  const data = names.map((key) => {
    const layer = invocation.config.layers(key).find((entry) => entry.value !== undefined);
    return { key, value: layer?.value ?? null, source: layer?.source ?? 'default' };
  });
  const width = Math.max(...names.map((name) => name.length)) + 1;
  emit(invocation, {
    json: { data },
    records: data,
    ids: names,
    text: () =>
      args.key === undefined
        ? data.map(
            (row) => `${row.key.padEnd(width)} ${foreignLine(row.value ?? '(not set)')}  (${row.source})`,
          )
        : [foreignLine(data[0]?.value ?? '')],
  });
  return 0;
};
