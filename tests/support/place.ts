import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { makeRepository, removeInstallation } from './installation.ts';

/** A directory with a repository, and elsewhere a home of a user who has nothing yet; both end with the test. */
export function place(): {
  readonly root: string;
  readonly home: string;
  readonly env: Record<string, string>;
} {
  const root = makeRepository({ 'a.txt': 'one\n' });
  const home = mkdtempSync(join(tmpdir(), 'palisade-home-'));
  onTestFinished(() => {
    removeInstallation(root);
    rmSync(home, { recursive: true, force: true });
  });
  return { root, home, env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config') } };
}
