import { settingKey } from '../config/config.ts';
import { settingsFile } from '../config/settings-file.ts';
import { removeSetting } from '../config/write-setting.ts';
import { foreignLine, foreignName } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import type { configUnsetCommand } from '../tree/installation-commands.ts';
import type { Handler } from './handler.ts';

/** `pal config unset KEY`: takes it out of the user's file, or with `--repo` out of this repository's. One that is not there stays so. */
export const execute: Handler<typeof configUnsetCommand> = async (invocation, args, flags) => {
  const key = settingKey(args.key);
  const file = settingsFile(invocation, flags.repo);
  const removed = removeSetting(file, key, invocation.isDryRun);
  const layers = invocation.config.layers(key.name);
  const left = layers.find(
    ({ value, source }) =>
      value !== undefined && (source !== (flags.repo ? 'repository' : 'user') || !removed),
  );
  const answer = { key: key.name, removed, value: left?.value ?? null, file };
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [key.name],
    text: () => [said(invocation.isDryRun, answer)],
  });
  if (left !== undefined && left.source !== 'default')
    invocation.err.line(`note: ${foreignName(left.where)} decides (pal config explain ${key.name})`);
  return 0;
};

function said(
  isDryRun: boolean,
  { key, removed, value, file }: { key: string; removed: boolean; value: string | null; file: string },
): string {
  const from = foreignName(file);
  const rest = value === null ? 'not set' : foreignLine(value);
  if (!removed) return `ok       ${key} is not set in ${from}`;
  return isDryRun
    ? `would take ${key} out of ${from}, then ${rest}`
    : `ok       ${key}  taken out of ${from}, now ${rest}`;
}
