import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ContextRequirement, PalisadeError } from '@palisade/contracts';
import type { RunningAttempt } from './context.ts';

const PROBE_MS = 30_000;
/** Directory entries looked at for all path requirements together. */
const MAX_ENTRIES = 1_000_000;

/** Regular executable file on the PATH the agent will have; runs in the sandbox, where that PATH means something. */
const EXEC_PROBE =
  'IFS=:; set -f; for d in $PATH; do [ -n "$d" ] || d=.; if [ -f "$d/$1" ] && [ -x "$d/$1" ]; then exit 0; fi; done; exit 1';

/**
 * Checks what the agent needs before it starts (DI-108). One that cannot be checked is not met.
 *
 * @throws PalisadeError `requirements_unmet` naming every one that is not met
 */
export async function assertRequirements(attempt: RunningAttempt): Promise<void> {
  const unmet: string[] = [];
  for (const requirement of attempt.spec.agent.context_requires ?? [])
    if (!(await isMet(attempt, requirement))) unmet.push(describe(requirement));
  attempt.stop.check();
  if (unmet.length > 0)
    throw new PalisadeError(
      'requirements_unmet',
      `the workspace lacks what the agent needs: ${unmet.join('; ')}`,
    );
}

async function isMet(attempt: RunningAttempt, requirement: ContextRequirement): Promise<boolean> {
  switch (requirement.kind) {
    case 'paths':
      return hasPaths(attempt.handle.directory, requirement.glob, requirement.min_count ?? 1);
    case 'exec':
      if (!/^[^/\0]+$/.test(requirement.bin)) return false;
      return succeeds(attempt, ['/bin/sh', '-c', EXEC_PROBE, 'sh', requirement.bin], attempt.env);
    default:
      return succeeds(
        attempt,
        requirement.needs === 'worktree'
          ? ['git', '-c', 'safe.directory=*', 'rev-parse', '--show-toplevel']
          : ['git', '-c', 'safe.directory=*', 'rev-parse', '--quiet', '--verify', 'HEAD^{commit}'],
        gitProbeEnv(attempt),
      );
  }
}

/** Fixed and without credentials; no variable can send git to another repository, and it looks no higher than the workspace. */
function gitProbeEnv(attempt: RunningAttempt): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CEILING_DIRECTORIES: join(attempt.sandbox.workspacePath, '..'),
    LC_ALL: 'C',
  };
}

async function succeeds(
  attempt: RunningAttempt,
  argv: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): Promise<boolean> {
  const result = await attempt.sandbox.exec({
    argv,
    env,
    timeoutMs: Math.min(PROBE_MS, attempt.stop.remainingMs()),
    graceMs: 0,
    signal: attempt.stop.signal,
  });
  return result.outcome === 'exited' && result.exitCode === 0;
}

function hasPaths(root: string, glob: string, wanted: number): boolean {
  const pattern = globPattern(glob);
  let count = 0;
  let seen = 0;
  const open = [''];
  for (let dir = open.pop(); dir !== undefined; dir = open.pop()) {
    for (const entry of entriesOf(join(root, dir))) {
      const path = dir === '' ? entry.name : `${dir}/${entry.name}`;
      if (path === '.git' || path === '.palisade') continue;
      if (++seen > MAX_ENTRIES) return false;
      if (pattern.test(path) && ++count >= wanted) return true;
      if (entry.isDirectory()) open.push(path);
    }
  }
  return false;
}

/** Setup may have left a directory that only its own user reads: what is in there counts as not there. */
function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** `**` any number of segments, `*` anything but `/`, the rest as it stands (DI-045). */
export function globPattern(glob: string): RegExp {
  const source = glob
    .replace(/^\.\//, '')
    .split('/')
    .map((segment) =>
      segment === '**'
        ? '**'
        : segment
            .split('*')
            .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
            .join('[^/]*'),
    )
    .reduce((out, segment, i, all) => {
      if (segment !== '**') return `${out}${segment}${i < all.length - 1 ? '/' : ''}`;
      return i < all.length - 1 ? `${out}(?:[^/]+/)*` : `${out}.+`;
    }, '');
  return new RegExp(`^${source}$`);
}

function describe(requirement: ContextRequirement): string {
  switch (requirement.kind) {
    case 'paths':
      return `${requirement.min_count ?? 1} path(s) matching ${JSON.stringify(requirement.glob)}`;
    case 'exec':
      return `the program ${JSON.stringify(requirement.bin)} on PATH`;
    default:
      return requirement.needs === 'worktree' ? 'a git work tree' : 'at least one git commit';
  }
}
