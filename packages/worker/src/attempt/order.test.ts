import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BundleFile, contentHash, encodeBundle } from '@palisade/contracts';
import { expect, test } from 'vitest';
import {
  attemptDir,
  logOf,
  makeSpec,
  printed,
  providers,
  repository,
  scratch,
  type SpecChanges,
} from '../../test/attempt-fixture.ts';
import { runAttempt } from './attempt.ts';

function stored(bytes: Buffer): { hash: `sha256:${string}`; path: string } {
  const path = join(scratch(), 'blob');
  writeFileSync(path, bytes);
  return { hash: contentHash(bytes), path };
}

function capability(files: Readonly<Record<string, string>>) {
  const list = Object.entries(files).map(
    ([path, text]): BundleFile => ({ path, bytes: Buffer.from(text), executable: false }),
  );
  return { name: 'skill', ...stored(encodeBundle('skill', list)) };
}

const DATA = Buffer.from('from upstream\n');
const BASE_PATCH = Buffer.from(
  'diff --git a/base.txt b/base.txt\n--- a/base.txt\n+++ b/base.txt\n@@ -1 +1 @@\n-zero\n+one\n',
);

/** An attempt with every kind of step, in which each step uses what only the ones before it can have made. */
function whole(changes: { setup?: string; requires?: string } = {}): SpecChanges {
  const repo = repository({ 'base.txt': 'zero\n' });
  const [data, base] = [stored(DATA), stored(BASE_PATCH)];
  const setup =
    'test "$(cat base.txt skill.txt inputs/data)" = "$(printf "one\\nskilled\\nfrom upstream")" && test "$TOKEN" = "secret value" && echo made > setup.txt && echo 1 > .palisade/deps.json';
  return {
    workspace: { kind: 'git', git_dir: repo.gitDir, commit: repo.commit },
    base_patches: [{ from: 'upstream', ref: base.hash, path: base.path }],
    capabilities: [capability({ 'skill.txt': 'skilled\n', 'palisade-setup.sh': changes.setup ?? setup })],
    inputs: [{ key: 'data', ref: data.hash, path: data.path }],
    secret_names: ['TOKEN'],
    agent: {
      run: {
        harness: 'command',
        command: 'echo agent; cat setup.txt > agent.txt; echo 2 > .palisade/deps.json',
      },
      context_requires: [{ kind: 'paths', glob: changes.requires ?? 'setup.txt' }],
    },
    verify: { command: 'test -e agent.txt; echo checked > check.txt; echo checked > outputs/check' },
  };
}

async function carriedOut(changes: SpecChanges, secrets: Readonly<Record<string, string>>) {
  const dir = attemptDir(makeSpec(changes));
  const result = await runAttempt({ attemptDir: dir, sandboxes: providers, secrets });
  const phases = logOf(dir).flatMap((line) => (line.kind === 'phase' ? [line.phase] : []));
  return { dir, result, phases };
}

const secrets = { TOKEN: 'secret value' };
const ORDER = [
  'workspace',
  'overlay',
  'inputs',
  'sandbox',
  'setup',
  'requirements',
  'baseline',
  'agent',
  'capture',
  'verify',
  'capture',
  'finished',
];

test('DI-101: base, overlay, inputs, set-up, requirements, baseline, agent, patch, self-check, outputs: each on top of the one before', async () => {
  const { dir, result, phases } = await carriedOut(whole(), secrets);
  expect(result.reason).toBeUndefined();
  expect(result).toMatchObject({ outcome: 'succeeded', exit_code: 0 });
  expect(phases).toEqual(ORDER);
  const patch = readFileSync(join(dir, 'products/patch'), 'utf8');
  // Of all files that were made only the agent's is its product; what the check leaves is an output.
  expect(patch.match(/^diff --git .*$/gm)).toEqual(['diff --git a/agent.txt b/agent.txt']);
  expect(patch).toContain('+made');
  expect(result.product.verify).toMatchObject({ passed: true });
  expect(result.product.outputs).toMatchObject([{ path: 'check' }]);
  expect(result.product.deps).toMatchObject({ at_setup: contentHash('1'), at_finish: contentHash('2') });
});

test.each<[string, string, () => SpecChanges, Readonly<Record<string, string>>, readonly string[]]>([
  ['a secret that is missing', 'secret_missing', whole, {}, []],
  [
    'an input whose bytes changed',
    'integrity_mismatch',
    () => ({ ...whole(), inputs: [{ key: 'data', ref: contentHash('other'), path: stored(DATA).path }] }),
    secrets,
    ORDER.slice(0, 3),
  ],
  ['a set-up that fails', 'setup_failed', () => whole({ setup: 'exit 3' }), secrets, ORDER.slice(0, 5)],
  [
    'a requirement that is not met',
    'requirements_unmet',
    () => whole({ requires: 'no' }),
    secrets,
    ORDER.slice(0, 6),
  ],
])('DI-101 DI-102: %s ends the attempt there and then', async (_what, code, changes, given, reached) => {
  const { dir, result, phases } = await carriedOut(changes(), given);
  expect(result).toMatchObject({ outcome: 'failed', code });
  expect(phases).toEqual([...reached, 'finished']);
  expect(printed(dir)).not.toContain('agent');
});
