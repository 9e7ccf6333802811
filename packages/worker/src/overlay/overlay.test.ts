import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type BundleFile, contentHash, encodeBundle } from '@palisade/contracts';
import { describe, expect, test } from 'vitest';
import {
  attemptDir,
  logOf,
  makeSpec,
  printed,
  providers,
  repository,
  scratch,
} from '../../test/attempt-fixture.ts';
import { runAttempt } from '../attempt/attempt.ts';
import { writeInputs } from './inputs.ts';
import { overlayCapabilities } from './overlay.ts';
import { readFileSafely } from './safe-file.ts';

type Capability = { name: string; hash: `sha256:${string}`; path: string };

function capability(
  name: string,
  files: Record<string, string>,
  executable: readonly string[] = [],
): Capability {
  const list = Object.entries(files).map(
    ([path, text]): BundleFile => ({ path, bytes: Buffer.from(text), executable: executable.includes(path) }),
  );
  return store(name, encodeBundle(name, list));
}

function store(name: string, bytes: Buffer): Capability {
  const path = join(scratch(), 'bundle');
  writeFileSync(path, bytes);
  return { name, hash: contentHash(bytes), path };
}

/** A workspace beside a directory that nothing may touch. */
function workspace(): { root: string; outside: string } {
  const dir = scratch();
  const [root, outside] = [join(dir, 'root'), join(dir, 'outside')];
  mkdirSync(root);
  mkdirSync(outside);
  return { root, outside };
}

const warnings: string[] = [];
const warn = (text: string): void => void warnings.push(text);

describe('overlayCapabilities', () => {
  test('DI-105: files are written in order, the later wins, and every replacement is told', () => {
    const { root } = workspace();
    warnings.length = 0;
    writeFileSync(join(root, 'own.txt'), 'own');
    overlayCapabilities(
      root,
      [
        capability('a', { 'd/x': 'a', same: '1', run: 'r' }, ['run']),
        capability('b', { 'd/x': 'b', same: '1', 'own.txt': 'b' }),
      ],
      warn,
    );
    expect(readFileSync(join(root, 'd/x'), 'utf8')).toBe('b');
    expect(statSync(join(root, 'run')).mode & 0o777).toBe(0o755);
    expect(statSync(join(root, 'd/x')).mode & 0o777).toBe(0o644);
    expect(warnings).toEqual([
      'capability b replaces "d/x" of capability a',
      'capability b replaces "own.txt" of the workspace',
    ]);
  });

  test('DI-105: a file and a directory in each other’s place are integrity_mismatch and nothing is written', () => {
    const { root } = workspace();
    expect(() =>
      overlayCapabilities(root, [capability('a', { x: '1' }), capability('b', { 'x/y': '2', z: '3' })], warn),
    ).toThrow(expect.objectContaining({ code: 'integrity_mismatch' }));
    expect(readdirSync(root)).toEqual([]);
    mkdirSync(join(root, 'dir'));
    expect(() => overlayCapabilities(root, [capability('a', { dir: '1' })], warn)).toThrow(
      expect.objectContaining({ code: 'integrity_mismatch' }),
    );
    writeFileSync(join(root, 'file'), '');
    expect(() => overlayCapabilities(root, [capability('a', { 'file/x': '1' })], warn)).toThrow(
      expect.objectContaining({ code: 'integrity_mismatch' }),
    );
  });

  test('DI-042: a path that leaves the workspace is refused where it is written, whoever made the bundle', () => {
    const { root, outside } = workspace();
    for (const path of [
      '../outside/x',
      '/tmp/x',
      'a/../../outside/x',
      '.git/hooks/pre-commit',
      '.palisade/prompt.md',
    ]) {
      const header = JSON.stringify({ name: 'evil', entries: [{ path, size: 1 }] });
      const bundle = store('evil', Buffer.from(`${header}\nx`));
      expect(() => overlayCapabilities(root, [bundle], warn)).toThrow(
        expect.objectContaining({ code: 'unsafe_path' }),
      );
    }
    expect(readdirSync(outside)).toEqual([]);
  });

  test('DI-105: no write follows a symlink of the workspace', () => {
    const { root, outside } = workspace();
    writeFileSync(join(outside, 'victim'), 'untouched');
    symlinkSync(outside, join(root, 'dir'));
    symlinkSync(join(outside, 'victim'), join(root, 'file'));
    symlinkSync(join(outside, 'new'), join(root, 'dangling'));
    expect(() => overlayCapabilities(root, [capability('a', { 'dir/x': '1' })], warn)).toThrow(
      expect.objectContaining({ code: 'unsafe_path' }),
    );
    overlayCapabilities(root, [capability('a', { file: '1', dangling: '2' })], warn);
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe('1');
    expect(readFileSync(join(root, 'dangling'), 'utf8')).toBe('2');
    expect(readdirSync(outside)).toEqual(['victim']);
    expect(readFileSync(join(outside, 'victim'), 'utf8')).toBe('untouched');
  });

  test('DI-102: a bundle whose bytes changed is integrity_mismatch', () => {
    const { root } = workspace();
    const bundle = capability('a', { x: '1' });
    writeFileSync(bundle.path, encodeBundle('a', []));
    expect(() => overlayCapabilities(root, [bundle], warn)).toThrow(
      expect.objectContaining({ code: 'integrity_mismatch' }),
    );
  });
});

describe('writeInputs', () => {
  test('DI-106: an input is written when its bytes are the ones named, and not through a symlink', () => {
    const { root, outside } = workspace();
    const path = join(scratch(), 'blob');
    writeFileSync(path, 'bytes');
    writeInputs(root, [{ key: 'data', ref: contentHash('bytes'), path }]);
    expect(readFileSync(join(root, 'inputs/data'), 'utf8')).toBe('bytes');
    expect(() => writeInputs(root, [{ key: 'data', ref: contentHash('other'), path }])).toThrow(
      expect.objectContaining({ code: 'integrity_mismatch' }),
    );
    const second = workspace();
    symlinkSync(outside, join(second.root, 'inputs'));
    expect(() => writeInputs(second.root, [{ key: 'data', ref: contentHash('bytes'), path }])).toThrow(
      expect.objectContaining({ code: 'unsafe_path' }),
    );
    expect(existsSync(join(outside, 'data'))).toBe(false);
  });
});

describe('readFileSafely', () => {
  test('DI-117: symlinks, directories and absent files read as absent, long files as cut', () => {
    const { root, outside } = workspace();
    writeFileSync(join(outside, 'secret'), 'x');
    symlinkSync(outside, join(root, 'dir'));
    symlinkSync(join(outside, 'secret'), join(root, 'link'));
    writeFileSync(join(root, 'long'), '123456');
    for (const path of ['dir/secret', 'link', 'dir', 'absent', 'absent/x', 'long/x'])
      expect(readFileSafely(root, path, 10)).toBeNull();
    expect(readFileSafely(root, 'long', 4)).toEqual({ bytes: Buffer.from('1234'), isCut: true });
    expect(readFileSafely(root, 'long', 6)).toEqual({ bytes: Buffer.from('123456'), isCut: false });
  });
});

describe('setup', () => {
  test('DI-105, DI-107, DI-118: the setup scripts of all capabilities run in order, with the environment, before the baseline', async () => {
    const dir = attemptDir(
      makeSpec({
        capabilities: [
          capability('one', {
            'palisade-setup.sh':
              'echo "one $NAME" | tee made.txt; echo "{ \\"b\\":1,\\"a\\":2}" > .palisade/deps.json',
          }),
          capability('two', { 'pangolin-setup.sh': 'echo two; cat made.txt' }),
        ],
        env_values: { NAME: 'val' },
        agent: {
          run: { harness: 'command', command: 'echo change >> other.txt; echo 3 > .palisade/deps.json' },
        },
      }),
    );
    const result = await runAttempt({ attemptDir: dir, sandboxes: providers, secrets: {} });
    expect(result.outcome).toBe('succeeded');
    expect(printed(dir)).toBe('one val\ntwo\none val');
    expect(readFileSync(join(dir, 'products/patch'), 'utf8')).not.toContain('made.txt');
    // DI-118: canonical hashes of the file after setup and after the agent.
    expect(result.product.deps).toEqual({
      at_setup: contentHash('{"a":2,"b":1}'),
      at_finish: contentHash('3'),
      tier: 'recorded',
    });
    expect(result.blocks.slice(0, 2)).toMatchObject([
      { kind: 'setup', status: 'ok', detail: 'one' },
      { kind: 'setup', status: 'ok', detail: 'two' },
    ]);
  });

  test('FF-143: a setup that fails ends the attempt before the agent starts', async () => {
    const dir = attemptDir(
      makeSpec({
        capabilities: [
          capability('one', { 'palisade-setup.sh': 'exit 1' }),
          capability('two', { 'palisade-setup.sh': 'echo never' }),
        ],
        agent: { run: { harness: 'command', command: 'echo agent ran' } },
        verify: { command: 'true' },
      }),
    );
    const result = await runAttempt({ attemptDir: dir, sandboxes: providers, secrets: {} });
    expect(result).toMatchObject({ outcome: 'failed', code: 'setup_failed' });
    expect(result.reason).toContain('capability one exited with status 1');
    expect(result.product.verify).toBeUndefined();
    expect(printed(dir)).toBe('');
  });

  test('DI-107: a setup that takes too long is ended', async () => {
    const dir = attemptDir(
      makeSpec({
        capabilities: [capability('slow', { 'palisade-setup.sh': 'sleep 100 & sleep 100' })],
        setup_timeout_ms: 300,
      }),
    );
    const result = await runAttempt({ attemptDir: dir, sandboxes: providers, secrets: {} });
    expect(result).toMatchObject({ outcome: 'failed', code: 'setup_failed' });
    expect(result.blocks[0]).toMatchObject({ kind: 'setup', status: 'timed_out' });
  });

  test('FF-128: a setup script that lies in the repository is not run', async () => {
    const repo = repository({
      'palisade-setup.sh': 'echo pwned',
      'pangolin-setup.sh': 'echo pwned',
      '.palisade-x': '',
    });
    const dir = attemptDir(
      makeSpec({ workspace: { kind: 'git', git_dir: repo.gitDir, commit: repo.commit } }),
    );
    const result = await runAttempt({ attemptDir: dir, sandboxes: providers, secrets: {} });
    expect(result.outcome).toBe('succeeded');
    expect(printed(dir)).toBe('');
  });
});

describe('context requirements', () => {
  test('DI-108: every requirement that is not met is named, and the agent does not start', async () => {
    const dir = attemptDir(
      makeSpec({
        agent: {
          run: { harness: 'command', command: 'echo agent ran' },
          context_requires: [
            { kind: 'paths', glob: 'src/**/*.ts' },
            { kind: 'exec', bin: 'no-such-tool' },
            { kind: 'exec', bin: 'sh' },
            { kind: 'git', needs: 'worktree' },
            { kind: 'git', needs: 'history' },
          ],
        },
        // Repository variables from an environment must not lead the probe elsewhere.
        env_values: { GIT_DIR: '/nonexistent' },
      }),
    );
    const result = await runAttempt({ attemptDir: dir, sandboxes: providers, secrets: {} });
    expect(result).toMatchObject({ outcome: 'failed', code: 'requirements_unmet' });
    expect(result.reason).toContain(
      '1 path(s) matching "src/**/*.ts"; the program "no-such-tool" on PATH; at least one git commit',
    );
    expect(result.reason).not.toContain('work tree');
    expect(logOf(dir).some((line) => line.kind === 'stdout')).toBe(false);
  });

  test('DI-045: requirements that are met let the agent start', async () => {
    const repo = repository({ 'src/a/b/c.ts': '', 'src/d.ts': '', 'a+b.txt': '' });
    const dir = attemptDir(
      makeSpec({
        workspace: { kind: 'git', git_dir: repo.gitDir, commit: repo.commit },
        agent: {
          run: { harness: 'command', command: 'echo agent ran' },
          context_requires: [
            { kind: 'paths', glob: 'src/**/*.ts', min_count: 2 },
            { kind: 'paths', glob: 'src/a' },
            { kind: 'paths', glob: 'a+b.*' },
            { kind: 'git', needs: 'history' },
          ],
        },
      }),
    );
    const result = await runAttempt({ attemptDir: dir, sandboxes: providers, secrets: {} });
    expect(result.reason).toBeUndefined();
    expect(printed(dir)).toBe('agent ran');
  });
});
