import { check, settingKey } from '../config/config.ts';
import { settingsFile } from '../config/settings-file.ts';
import { writeSetting } from '../config/write-setting.ts';
import { foreignLine, foreignName } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import type { configSetCommand } from '../tree/installation-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

/** `pal config set KEY VALUE`: in the user's file, or with `--repo` in this repository's. A policy or a server that is none is refused. */
export const execute: Handler<typeof configSetCommand> = async (invocation, args, flags) => {
  const key = settingKey(args.key);
  if (flags.repo && !key.fromRepository)
    throw new UsageError(`"${key.name}" cannot be set by a repository`, {
      why: 'it grants a permission or names an identity, which only the user may do',
      next: `pal config set ${key.name} ${args.value}`,
    });
  const value = check(key, args.value, 'the value');
  if (value === undefined)
    throw new UsageError('the value is empty', { next: `pal config unset ${key.name}` });
  if (key.name === 'policy') {
    const { checkPolicy } = await import('@palisade/server');
    checkPolicy({ [key.env]: value }, 'value');
  }
  if (key.name === 'server') {
    const { originOf } = await import('@palisade/client');
    originOf(value);
  }
  const file = settingsFile(invocation, flags.repo);
  if (!invocation.isDryRun) writeSetting(file, key, value);
  const answer = { key: key.name, value, file };
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [key.name],
    text: () => [`${outcome(invocation, 'set')}${key.name} = ${foreignLine(value)}  ${foreignName(file)}`],
  });
  const winner = invocation.config.layers(key.name).find((layer) => layer.value !== undefined);
  if (winner?.source === 'environment' || (winner?.source === 'repository' && !flags.repo))
    invocation.err.line(`note: ${foreignName(winner.where)} still decides (pal config explain ${key.name})`);
  return 0;
};
