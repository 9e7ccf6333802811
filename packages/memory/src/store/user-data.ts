import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

export type Env = Readonly<Record<string, string | undefined>>;

/** The home directory, or undefined where the environment names none. */
export function homeOf(env: Env): string | undefined {
  const home = env['HOME'] ?? homedir();
  return isAbsolute(home) ? home : undefined;
}

/**
 * A file of the user's data: what its variable names, or `palisade/NAME` where the user's data is. The only place that
 * decides it (WM-004). Undefined where the environment names no directory.
 */
export function userDataFile(env: Env, variable: string, name: string): string | undefined {
  const named = env[variable];
  if (named !== undefined && named !== '') return isAbsolute(named) ? named : undefined;
  const data = env['XDG_DATA_HOME'];
  if (data !== undefined && isAbsolute(data)) return join(data, 'palisade', name);
  const home = homeOf(env);
  return home === undefined ? undefined : join(home, '.local', 'share', 'palisade', name);
}
