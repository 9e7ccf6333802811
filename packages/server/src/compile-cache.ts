import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * Where Node keeps compiled sources between starts of our own processes: a worker then starts in a third
 * of the time (0.22 s of processor time instead of 0.65 s here). The directory is the user's own, never a
 * shared temporary one: whoever can write it can run code as the user.
 */
export function compileCacheEnvironment(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  // One that is not absolute would lie in whatever directory a process is started in (FF-170).
  const base = [env['XDG_CACHE_HOME'], join(homedir(), '.cache')].find((path) => path && isAbsolute(path));
  return base === undefined ? {} : { NODE_COMPILE_CACHE: join(base, 'palisade', 'compile') };
}
