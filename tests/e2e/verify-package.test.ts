import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildVerifyPackage } from '../../scripts/build/verify-package.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const VECTORS = join(ROOT, 'packages/evidence/vectors');
const PATH = '/usr/local/bin:/usr/bin:/bin';

interface Vector {
  readonly name: string;
  readonly bundle: string;
  readonly trust_root: string | null;
  readonly expect:
    | { readonly error: string }
    | { readonly intact: boolean; readonly failure: string | null; readonly checks: Record<string, unknown> };
}
const { vectors } = JSON.parse(readFileSync(join(VECTORS, 'index.json'), 'utf8')) as { vectors: Vector[] };

/** Far from the checkout, with an empty cache: what is not in the package cannot be found. */
let place = '';
beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'palisade-verify-package-'));
  const npm = (cwd: string, ...args: string[]) =>
    execFileSync('npm', args, {
      cwd: join(place, cwd),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, npm_config_cache: join(place, 'cache') },
    });
  await buildVerifyPackage(join(place, 'built'));
  mkdirSync(join(place, 'app'));
  writeFileSync(join(place, 'app/package.json'), '{"private":true,"type":"module"}');
  const [packed] = JSON.parse(npm('built', 'pack', '--json')) as { filename: string }[];
  npm('app', 'install', '--offline', '--no-audit', '--no-fund', join(place, 'built', packed?.filename ?? ''));
  for (const name of readdirSync(VECTORS)) copyFileSync(join(VECTORS, name), join(place, 'app', name));
}, 120_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));

const run = (program: string, ...args: string[]) =>
  spawnSync(program, args, { cwd: join(place, 'app'), env: { PATH }, encoding: 'utf8' });
/** The installed program, started by this Node. */
const verify = (...args: string[]) =>
  run(process.execPath, join(place, 'app/node_modules/.bin/palisade-verify'), ...args);

describe('the published verifier', () => {
  it('DI-253: is one package without dependencies, scripts or paths of the machine that built it', () => {
    expect(readdirSync(join(place, 'app/node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'palisade-verify',
    ]);
    const home = join(place, 'app/node_modules/palisade-verify');
    const files = readdirSync(home).toSorted();
    expect(files).toEqual(
      [
        'LICENSE',
        'README.md',
        'THIRD-PARTY-NOTICES.txt',
        'auditors-guide.md',
        'evidence-format.md',
        'index.d.ts',
        'index.js',
        'package.json',
        'palisade-verify.mjs',
        'vendor.js',
        'verify-bundle.js',
        'verify-command.js',
      ].toSorted(),
    );
    for (const name of files) expect(readFileSync(join(home, name), 'utf8'), name).not.toContain(ROOT);
    const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as object;
    for (const member of ['dependencies', 'optionalDependencies', 'scripts'])
      expect(manifest).not.toHaveProperty(member);
  });

  it('DI-253: gives every vector its verdict with two files and an empty environment', () => {
    for (const { name, bundle, trust_root: root, expect: expected } of vectors) {
      const { status, stdout, stderr } = verify(
        bundle,
        ...(root === null ? [] : ['--trust', root]),
        '--json',
      );
      if ('error' in expected) {
        expect([name, status, stdout, stderr.includes(expected.error)]).toEqual([name, 2, '', true]);
        continue;
      }
      const report = JSON.parse(stdout) as { intact: boolean; failure?: string };
      expect([name, report.intact, report.failure ?? null]).toEqual([
        name,
        expected.intact,
        expected.failure,
      ]);
      expect([name, status]).toEqual([name, expected.intact ? (root === null ? 6 : 0) : 1]);
    }
  }, 120_000);

  it('DI-253: prints the rows, all of the ledger when asked, and says what it cannot use', () => {
    const short = verify('intact.json', '--trust', 'trust-root.json');
    expect(short).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/^TAMPER-DETECTING/),
    });
    expect(short.stdout).toContain('8 more (--full)');
    expect(verify('intact.json', '--trust', 'trust-root.json', '--full').stdout).not.toContain(
      'more (--full)',
    );
    for (const args of [['none.json'], ['package.json'], ['intact.json', '--trust', 'intact.json'], []])
      expect(verify(...args)).toMatchObject({ status: 2, stdout: '' });
  });

  it('DI-253: is a library as well, whose types hold', () => {
    const app = join(place, 'app');
    writeFileSync(
      join(app, 'check.mjs'),
      `import { readFileSync } from 'node:fs';
       import { parseTrustRoot, renderReport, verifyBundleBytes } from 'palisade-verify';
       const report = verifyBundleBytes(readFileSync('intact.json'), parseTrustRoot(readFileSync('trust-root.json')));
       console.log(report.intact, renderReport(report).split('\\n')[0]);
       try { verifyBundleBytes(Buffer.from('{}'), null); } catch (error) { console.log(error.code); }`,
    );
    expect(run(process.execPath, 'check.mjs')).toMatchObject({
      stderr: '',
      stdout: 'true TAMPER-DETECTING  run-a\nevidence_invalid\n',
    });
    writeFileSync(
      join(app, 'typed.ts'),
      `import { type Check, parseBundle, parseTrustRoot, verifyBundle, type VerificationReport } from 'palisade-verify';
       const bytes = new Uint8Array();
       const report: VerificationReport = verifyBundle(parseBundle(bytes), parseTrustRoot(bytes));
       const rows: readonly Check[] = report.checks;
       // @ts-expect-error: a row is never silent about what it found
       const detail: number = rows[0]!.detail;
       console.log(rows, detail);`,
    );
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const compilerOptions = {
      noEmit: true,
      strict: true,
      module: 'nodenext',
      target: 'es2023',
      types: [],
      lib: ['es2023', 'dom'],
    };
    writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['typed.ts'] }));
    expect(run(process.execPath, tsc, '-p', '.')).toMatchObject({ stdout: '', status: 0 });
  }, 60_000);

  const isolated = ['--user', '--map-root-user', '--net'];
  const canIsolate = spawnSync('unshare', [...isolated, 'true']).status === 0;
  it.skipIf(!canIsolate)('FF-139: works where there is no network at all', () => {
    const program = join(place, 'app/node_modules/.bin/palisade-verify');
    const args = [...isolated, process.execPath, program, 'intact.json', '--trust', 'trust-root.json'];
    expect(existsSync(program)).toBe(true);
    expect(run('unshare', ...args)).toMatchObject({ status: 0, stderr: '' });
  });
});
