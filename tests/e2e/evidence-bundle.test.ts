import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { EvidenceBundle, getArtifact, getRun, submitPlan, TrustRoot } from '@palisade/contracts';
import type { ControlPlane } from '@palisade/server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  ended,
  makeRepository,
  openAt,
  palisade,
  removeInstallation,
  startEngine,
} from '../support/installation.ts';
import { eachInstallationDatabase, type InstallationDatabase } from '../support/installation-database.ts';

const VERIFY = resolve(import.meta.dirname, '../../packages/evidence/bin/palisade-verify.mjs');

/** Every string and the names that lead to it, of any JSON. */
function* strings(value: unknown, path = ''): Iterable<readonly [string, string]> {
  if (typeof value === 'string') yield [path, value];
  else if (typeof value === 'object' && value !== null)
    for (const [key, member] of Object.entries(value))
      yield* strings(member, Array.isArray(value) ? `${path}[]` : `${path}.${key}`);
}

eachInstallationDatabase('evidence of a real run', (makeDatabase) => {
  let root = '';
  let stranger = '';
  let database: InstallationDatabase;
  let plane: ControlPlane;
  beforeEach(async () => {
    root = makeRepository({ 'a.txt': 'zero\n' });
    stranger = mkdtempSync(join(tmpdir(), 'palisade-stranger-'));
    database = await makeDatabase();
    plane = await database.within(() => openAt(root));
  });
  afterEach(async () => {
    await plane.close();
    removeInstallation(root);
    rmSync(stranger, { recursive: true, force: true });
  });

  it('DI-229 DI-241 DI-253: the exported bundle holds references and facts, no content, in one encoding, and a stranger checks it with two files', async () => {
    const items = [
      {
        id: 'make',
        command:
          'echo patched-content > a.txt; echo output-content > outputs/report.txt; echo printed-content',
        verify: { command: 'grep patched-content a.txt' },
      },
      {
        id: 'use',
        command: 'test "$PALISADE_ATTEMPT" = 2 && cat inputs/report > b.txt',
        needs: {
          report: { from: 'make', select: { kind: 'output', path: 'report.txt' } },
          work: { from: 'make', select: { kind: 'patch' }, apply: true },
        },
        retry: { max_attempts: 2, backoff_ms: 1 },
      },
      { id: 'fail', command: 'exit 9', retry: { max_attempts: 1 } },
      { id: 'behind', command: 'true', depends_on: ['fail'] },
    ];
    await plane.call(submitPlan, { plan: { items }, run_id: 'real', repository: root });
    await database.within(() => startEngine(plane));
    await ended(plane, 'real');
    const exported = await palisade(
      root,
      ['evidence', 'export', 'real', '-o', 'run.json', '--trust-root', 'keys.json'],
      database.env,
    );
    expect(exported.code, exported.stderr).toBe(0);
    const text = readFileSync(join(root, 'run.json'), 'utf8');
    const bundle = EvidenceBundle.parse(JSON.parse(text));
    const keys = TrustRoot.parse(JSON.parse(readFileSync(join(root, 'keys.json'), 'utf8')));

    expect(bundle.entries.map(({ type }) => type)).toEqual(
      expect.arrayContaining([
        'run.submitted',
        'item.fired',
        'item.started',
        'item.reconciled',
        'item.skipped',
        'run.completed',
      ]),
    );
    // One manifest for every attempt, retried ones too.
    const attempts = bundle.manifests.map(
      (manifest) => `${String(manifest['item_id'])}#${String(manifest['attempt'])}`,
    );
    expect(attempts.sort()).toEqual(['fail#1', 'make#1', 'use#1', 'use#2']);
    const rows = bundle.items.map(({ id, status, attempts: n }) => [id, status, n] as const);
    expect(rows.toSorted(([x], [y]) => (x < y ? -1 : 1))).toEqual([
      ['behind', 'skipped', 0],
      ['fail', 'failed', 1],
      ['make', 'done', 1],
      ['use', 'done', 2],
    ]);

    // References, never content: and every reference still leads to its bytes.
    for (const content of ['+patched-content', 'output-content\n', 'printed-content\n'])
      expect(text.includes(JSON.stringify(content).slice(1, -1)), content).toBe(false);
    const { items: views } = await plane.call(getRun, { run: 'real' });
    const product = views.find(({ id }) => id === 'make')?.product;
    for (const ref of [
      product?.result_ref,
      product?.log_ref,
      ...(product?.outputs ?? []).map((output) => output.ref),
    ]) {
      if (ref === undefined) throw new Error('a product is missing');
      expect(text).toContain(ref);
      expect((await plane.call(getArtifact, { ref })).size).toBeGreaterThan(0);
    }

    // Bytes are base64 wherever there are any, and hashes are hex: no member is a list of numbers.
    const bytes: Readonly<Record<string, number>> = { '.seal.signatures[].sig': 64, '.log.proof[]': 32 };
    for (const [path, value] of strings(bundle)) {
      const length = bytes[path];
      if (length !== undefined) expect(Buffer.from(value, 'base64').length, path).toBe(length);
      if (path === '.seal.payload') JSON.parse(Buffer.from(value, 'base64').toString('utf8'));
      if (path === '.entries[].hash') expect(value).toMatch(/^[0-9a-f]{64}$/);
    }
    for (const key of Object.values(keys.keys)) expect(Buffer.from(key.spki_der, 'base64').length).toBe(44);
    expect(text).not.toMatch(/"type":"Buffer"|\{"0":\d/);

    copyFileSync(join(root, 'run.json'), join(stranger, 'run.json'));
    copyFileSync(join(root, 'keys.json'), join(stranger, 'keys.json'));
    const check = () => {
      const args = [VERIFY, 'run.json', '--trust', 'keys.json'];
      return spawnSync(process.execPath, args, { cwd: stranger, env: {}, encoding: 'utf8' });
    };
    expect(check()).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/^TAMPER-DETECTING {2}real/),
    });
    writeFileSync(join(stranger, 'run.json'), text.replace('"exit_code":9', '"exit_code":0'));
    expect(check()).toMatchObject({ status: 1, stdout: expect.stringMatching(/^TAMPERED {2}real/) });
  }, 180_000);
});
