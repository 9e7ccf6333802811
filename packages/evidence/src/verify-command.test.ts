import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evidenceLimits } from '@palisade/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Vector } from '../test/vectors.ts';
import { verifyCommand } from './verify-command.ts';

const BIN = join(import.meta.dirname, '../bin/palisade-verify.mjs');
const VECTORS = join(import.meta.dirname, '../vectors');
const { vectors } = JSON.parse(readFileSync(join(VECTORS, 'index.json'), 'utf8')) as { vectors: Vector[] };

/** The real program in a directory of its own, with nothing in its environment. */
function verify(args: readonly string[], cwd = VECTORS, program = process.execPath) {
  const { status, stdout, stderr } = spawnSync(program, [BIN, ...args], { cwd, env: {}, encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** The same in this process: what it prints and gives. */
async function inProcess(args: readonly string[]) {
  let stdout = '';
  let stderr = '';
  const status = await verifyCommand(
    args,
    { write: (text) => (stdout += text) },
    { write: (text) => (stderr += text) },
  );
  return { status, stdout, stderr };
}

let place: string;
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'palisade-verify-'));
  return () => rmSync(place, { recursive: true, force: true });
});

describe('palisade-verify', () => {
  test('DI-253: two files and nothing else: verdict, rows and the ends of the ledger, exit 0', () => {
    for (const file of ['intact.json', 'trust-root.json'])
      copyFileSync(join(VECTORS, file), join(place, file));
    const short = verify(['intact.json', '--trust', 'trust-root.json'], place);
    expect(short).toMatchObject({ status: 0, stderr: '' });
    expect(short.stdout).toMatch(/^TAMPER-DETECTING  run-a\nok {3}chain/);
    expect(short.stdout).toMatch(/ledger {2}14 events\n(?:.+\n){3} +8 more \(--full\)\n(?:.+\n){3}$/);
    const full = verify(['--full', '--trust', 'trust-root.json', 'intact.json'], place);
    expect(full.stdout.split('\n').filter((line) => /^ +\d+ {2}20/.test(line))).toHaveLength(14);
  });

  test('DI-253: exit 1 when not intact, 6 when nothing vouches for it', () => {
    expect(verify(['seal-replayed.json', '--trust', 'trust-root.json'])).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/^TAMPERED/),
    });
    const unvouched = verify(['intact.json']);
    expect(unvouched).toMatchObject({ status: 6, stdout: expect.stringContaining('signature not checked') });
  });

  test('DI-241 DI-253: every vector gets its verdict from the file alone, as JSON', async () => {
    for (const vector of vectors) {
      const trust = vector.trust_root === null ? [] : ['--trust', join(VECTORS, vector.trust_root)];
      const { status, stdout, stderr } = await inProcess([join(VECTORS, vector.bundle), ...trust, '--json']);
      if ('error' in vector.expect) {
        expect([vector.name, status, stdout]).toEqual([vector.name, 2, '']);
        expect(stderr).toContain(vector.expect.error);
        continue;
      }
      const { intact, failure, checks } = vector.expect;
      const report = JSON.parse(stdout) as {
        intact: boolean;
        failure?: string;
        checks: { name: string; ok: unknown }[];
      };
      expect([vector.name, report.intact, report.failure ?? null]).toEqual([vector.name, intact, failure]);
      expect(Object.fromEntries(report.checks.map(({ name, ok }) => [name, ok]))).toEqual(checks);
      expect(status).toBe(intact ? (trust.length === 0 ? 6 : 0) : 1);
    }
  });

  test('wrong usage, files that are not there or not what they should be are one line and a code', async () => {
    const huge = join(place, 'huge.json');
    writeFileSync(huge, '');
    truncateSync(huge, evidenceLimits.bundleBytes + 2);
    const [bundle, root] = [join(VECTORS, 'intact.json'), join(VECTORS, 'trust-root.json')];
    const wrong: [readonly string[], number, RegExp][] = [
      [[], 2, /give exactly one bundle/],
      [[bundle, bundle], 2, /give exactly one bundle/],
      [[bundle, '--nosuch'], 2, /unknown/],
      [[bundle, '--trust'], 2, /lacks its value/],
      [['/no/such/file'], 2, /cannot be opened/],
      [[place], 2, /not a file/],
      [[huge], 2, /more than/],
      [[root], 2, /evidence_invalid/],
      [[bundle, '--trust', bundle], 2, /evidence_invalid/],
    ];
    for (const [args, code, words] of wrong) {
      const { status, stdout, stderr } = await inProcess(args);
      expect([args, status, stdout]).toEqual([args, code, '']);
      expect(stderr).toMatch(words);
      expect(stderr.split('\n')).toHaveLength(2);
    }
    expect(await inProcess(['--help'])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^usage:/),
    });
  });

  test('FF-079: a reader that closes early is a quiet end', () => {
    const shell = `"$0" "$1" intact.json --trust trust-root.json --full | head -c 1; echo "$PIPESTATUS"`;
    const ended = spawnSync('bash', ['-c', shell, process.execPath, BIN], { cwd: VECTORS, encoding: 'utf8' });
    expect(ended.stderr).toBe('');
    // What fits in the pipe at once may have been written before the reader left.
    expect(['T0\n', 'T1\n']).toContain(ended.stdout);
  });

  const isolated = ['--user', '--map-root-user', '--net', process.execPath];
  const canIsolate = spawnSync('unshare', [...isolated, '-e', '0']).status === 0;
  test.skipIf(!canIsolate)('FF-139: the program works where there is no network at all', () => {
    const args = [...isolated, BIN, 'intact.json', '--trust', 'trust-root.json'];
    expect(spawnSync('unshare', args, { cwd: VECTORS, encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });

  const old = ['/usr/local/bin/node', '/usr/bin/node'].find((path) =>
    /^(?:1\d|20|21)\./.test(
      spawnSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout ?? '',
    ),
  );
  test.skipIf(old === undefined)('a Node that is too old is told what is needed', () => {
    const ended = verify(['intact.json'], VECTORS, old);
    expect(ended).toMatchObject({ status: 3, stdout: '' });
    expect(ended.stderr).toContain('unsupported_runtime');
    expect(ended.stderr).toMatch(/^ {2}next {2}install Node 24, or name a newer one: \/path\/to\/node \//m);
  });
});
