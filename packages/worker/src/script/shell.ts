import type { Sandbox } from '@palisade/contracts';

/** The shell that runs an attempt's scripts. */
export interface Shell {
  readonly path: string;
  readonly isBash: boolean;
}

const PROBE_MS = 15_000;

/** The shell of each sandbox by the PATH it was looked for on: a sandbox's system does not change. */
const found = new WeakMap<Sandbox, Map<string | undefined, Promise<Shell>>>();

/**
 * Finds bash inside the sandbox, or settles for `/bin/sh`; looks once for each PATH, because every look
 * starts a program there.
 *
 * @param env the environment the scripts will have; its PATH is searched
 */
export function findShell(sandbox: Sandbox, env: Readonly<Record<string, string>>): Promise<Shell> {
  const path = env['PATH'];
  const known = found.get(sandbox) ?? new Map<string | undefined, Promise<Shell>>();
  found.set(sandbox, known);
  const shell = known.get(path) ?? look(sandbox, path);
  known.set(path, shell);
  return shell;
}

async function look(sandbox: Sandbox, searched: string | undefined): Promise<Shell> {
  const found = await sandbox.exec({
    argv: ['/bin/sh', '-c', 'command -v bash'],
    env: searched === undefined ? {} : { PATH: searched },
    timeoutMs: PROBE_MS,
    graceMs: 0,
  });
  const path = Buffer.from(found.stdout).toString('utf8').trim();
  return found.outcome === 'exited' && found.exitCode === 0 && path.startsWith('/')
    ? { path, isBash: true }
    : { path: '/bin/sh', isBash: false };
}

/** Starts the script's shell in its own place: bash where the PATH has one, as {@link findShell} would say. */
const START =
  'shell=$(command -v bash); case $shell in /*) exec "$shell" -c "$1" ;; esac; exec /bin/sh -c "$1"';

/**
 * A script as its author wrote it: no option changes what its status means. It finds its shell itself, because a
 * look would be one more program, and a program can be a container.
 */
export function plainScript(script: string): [string, ...string[]] {
  return ['/bin/sh', '-c', START, 'sh', script];
}

/**
 * A script whose status is the point (gates, self-checks, FF-140). It stops at the first command
 * that fails, a pipeline fails when any part of it fails, and both hold inside subshells and
 * command substitutions. A plain `sh` lacks the last two.
 */
export function strictScript(shell: Shell, script: string): [string, ...string[]] {
  return shell.isBash
    ? [shell.path, '-O', 'inherit_errexit', '-e', '-o', 'pipefail', '-c', script]
    : [shell.path, '-e', '-c', script];
}
