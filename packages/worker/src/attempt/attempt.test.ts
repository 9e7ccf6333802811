import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AttemptResult, contentHash } from '@palisade/contracts';
import { describe, expect, test } from 'vitest';
import {
  attemptDir,
  available,
  logOf,
  makeSpec,
  printed,
  providers,
  repository,
} from '../../test/attempt-fixture.ts';
import { runAttempt } from './attempt.ts';

describe.each(['process', 'bubblewrap'])('runAttempt in %s', (provider) => {
  const isHere = available.includes(provider);

  test.skipIf(!isHere)('DI-113, DI-115: a command changes a file and its patch is the result', async () => {
    const repo = repository({ 'a.txt': 'one\n', 'keep.txt': 'kept\n' });
    const dir = attemptDir(
      makeSpec({
        workspace: { kind: 'git', git_dir: repo.gitDir, commit: repo.commit },
        agent: { run: { harness: 'command', command: 'echo two >> a.txt; echo hello; echo oops >&2' } },
        sandbox: { provider },
      }),
    );
    const result = AttemptResult.parse(
      await runAttempt({ attemptDir: dir, sandboxes: providers, secrets: {} }),
    );
    expect(result).toMatchObject({ outcome: 'succeeded', exit_code: 0, retryable: false });
    const patch = readFileSync(join(dir, 'products/patch'));
    expect(result.product.result_ref).toBe(contentHash(patch));
    expect(result.product.patch).toEqual({ files: 1, added: 1, deleted: 0, bytes: patch.length });
    expect(printed(dir)).toBe('hello');
    expect(printed(dir, 'stderr')).toBe('oops');
    execFileSync('git', ['apply', join(dir, 'products/patch')], { cwd: repo.directory });
    expect(readFileSync(join(repo.directory, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(result.posture.length).toBeGreaterThan(0);
    const phases = logOf(dir).flatMap((line) => (line.kind === 'phase' ? [line.phase] : []));
    expect(phases).toEqual([
      'workspace',
      'overlay',
      'sandbox',
      'baseline',
      'agent',
      'capture',
      'capture',
      'finished',
    ]);
    expect(result.product.log_ref).toBe(contentHash(readFileSync(join(dir, 'output.log'))));
  });
});
