import { spawnSync } from 'node:child_process';

/**
 * The commit that a checkout is at, 40 hex digits, when it is that commit and nothing else; null where something was changed, and where
 * there is no checkout: what cannot be told exactly is not told (AO-003).
 */
export function sourceCommit(directory: string): string | null {
  const git = (...args: string[]): string | null => {
    const { status, stdout } = spawnSync('git', args, { cwd: directory, encoding: 'utf8' });
    return status === 0 ? stdout.trim() : null;
  };
  const isClean = git('status', '--porcelain', '--', '.') === '';
  const commit = isClean ? git('rev-parse', '--verify', 'HEAD') : null;
  return commit !== null && /^[0-9a-f]{40}$/.test(commit) ? commit : null;
}
