import { type EnvironmentKey, getEnvironment } from '@palisade/contracts';
import { renderRows } from '../output/row.ts';
import type { envShowCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';
import { printHistory } from './registry-rows.ts';

/** `pal env show NAME`: its revisions, and the names of its variables, never what they hold. */
export const execute: Handler<typeof envShowCommand> = async (invocation, args) => {
  const answer = await invocation.call(getEnvironment, { name: args.name });
  const keys = answer.keys.map((entry) => ({ state: 'ok', id: entry.key, title: keyTitle(entry) }));
  return printHistory(invocation, answer, 'env', args.name, renderRows(keys, invocation.settings.style));
};

function keyTitle({ kind, version }: EnvironmentKey): string {
  if (kind === 'value') return 'value';
  return version === undefined ? 'secret, the newest version' : `secret, version ${version}`;
}
