import { readdirSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { type Env, homeOf } from '../store/user-data.ts';
import { OPENCODE_DATABASE } from './opencode/session-database.ts';

/** Where the harnesses keep their histories on this machine, whether they are there or not. */
export function harnessFolders(env: Env): readonly string[] {
  const home = homeOf(env);
  const at = (named: string | undefined, ...usual: readonly string[]): string | undefined =>
    named !== undefined && isAbsolute(named) ? named : home === undefined ? undefined : join(home, ...usual);
  const claude = at(env['CLAUDE_CONFIG_DIR'], '.claude');
  const codex = codexHome(env);
  const gemini = at(undefined, '.gemini');
  const copilot = at(env['COPILOT_HOME'], '.copilot');
  return [
    ...(claude === undefined ? [] : [join(claude, 'projects')]),
    ...(codex === undefined ? [] : [join(codex, 'sessions'), join(codex, 'archived_sessions')]),
    ...(gemini === undefined ? [] : [join(gemini, 'tmp')]),
    ...(copilot === undefined ? [] : [join(copilot, 'session-state')]),
    ...openCodePlaces(env, at(env['XDG_DATA_HOME'], '.local', 'share')),
  ];
}

/** Only these: beside them OpenCode keeps keys, logs and copies of work trees. */
function openCodePlaces(env: Env, data: string | undefined): readonly string[] {
  if (data === undefined) return [];
  const home = join(data, 'opencode');
  const named = env['OPENCODE_DB'] ?? '';
  return [
    ...(named === '' || named === ':memory:' ? [] : [resolve(home, named)]),
    ...databasesIn(home),
    join(home, 'storage'),
  ];
}

function databasesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => OPENCODE_DATABASE.test(name))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

export function codexHome(env: Env): string | undefined {
  const named = env['CODEX_HOME'];
  if (named !== undefined && isAbsolute(named)) return named;
  const home = homeOf(env);
  return home === undefined ? undefined : join(home, '.codex');
}
