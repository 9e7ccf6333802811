import type { Sandbox } from '@palisade/contracts';

/** The shell that runs an attempt's scripts. */
export interface Shell {
  readonly path: string;
  readonly isBash: boolean;
}

const PROBE_MS = 15_000;

/**
 * Finds bash inside the sandbox, or settles for `/bin/sh`.
 *
 * @param env the environment the scripts will have; its PATH is searched
 */
export async function findShell(sandbox: Sandbox, env: Readonly<Record<string, string>>): Promise<Shell> {
  const found = await sandbox.exec({
    argv: ['/bin/sh', '-c', 'command -v bash'],
    env: env['PATH'] === undefined ? {} : { PATH: env['PATH'] },
    timeoutMs: PROBE_MS,
    graceMs: 0,
  });
  const path = Buffer.from(found.stdout).toString('utf8').trim();
  return found.outcome === 'exited' && found.exitCode === 0 && path.startsWith('/')
    ? { path, isBash: true }
    : { path: '/bin/sh', isBash: false };
}

/** A script as its author wrote it: no option changes what its status means. */
export function plainScript(shell: Shell, script: string): [string, ...string[]] {
  return [shell.path, '-c', script];
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
