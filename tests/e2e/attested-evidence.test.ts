import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseTrustRoot } from '@palisade/evidence';
import { Authority, CA, hasOpenssl, STAMPING } from '../../packages/evidence/test/authority.ts';
import { WitnessProcess } from '../../packages/evidence/test/witness-process.ts';
import { makeRepository, palisade, removeInstallation } from '../support/installation.ts';

const VERIFY = resolve(import.meta.dirname, '../../packages/evidence/bin/palisade-verify.mjs');

describe.skipIf(!hasOpenssl)('evidence attested by others, by commands alone', () => {
  let root = '';
  let config = '';
  let stranger = '';
  let tsa: Authority;
  const cleanups: (() => unknown)[] = [];
  beforeEach(() => {
    root = makeRepository({ 'a.txt': 'zero\n' });
    config = mkdtempSync(join(tmpdir(), 'palisade-config-'));
    stranger = mkdtempSync(join(tmpdir(), 'palisade-stranger-'));
    tsa = new Authority();
  });
  afterEach(async () => {
    for (const clean of cleanups.splice(0)) await clean();
    tsa.remove();
    removeInstallation(root);
    for (const place of [config, stranger]) rmSync(place, { recursive: true, force: true });
  });

  const pal = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await palisade(root, args, { XDG_CONFIG_HOME: config });
    expect(code, `${args.join(' ')}: ${stderr}`).toBe(0);
    return stdout;
  };
  const verify = (): ReturnType<typeof spawnSync> =>
    spawnSync(process.execPath, [VERIFY, 'run.json', '--trust', 'keys.json'], {
      cwd: stranger,
      env: {},
      encoding: 'utf8',
    });

  it('DI-228 DI-252 DI-253: settings of the user reach the engine, and a stranger finds time and witness, also after a key was compromised', async () => {
    const certificate = tsa.certify('root', { key: 'rsa', extensions: CA });
    tsa.certify('stamper', { issuer: 'root', extensions: STAMPING });
    const ca = join(config, 'ca.pem');
    writeFileSync(
      ca,
      `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
    );
    const server = tsa.serve('stamper', { status: 200 });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    cleanups.push(() => server.close());
    const witness = new WitnessProcess('witness.example/w1');
    cleanups.push(() => witness.remove());
    await witness.start();

    await pal('init');
    await pal('evidence', 'trust-root', '-o', 'first.json');
    witness.watch(parseTrustRoot(readFileSync(join(root, 'first.json'))));
    await pal(
      'config',
      'set',
      'timestamp_url',
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    );
    await pal('config', 'set', 'timestamp_ca', ca);
    await pal('config', 'set', 'witnesses', `${witness.verifierKey} ${witness.url}`);
    writeFileSync(
      join(root, 'plan.json'),
      JSON.stringify({ items: [{ id: 'a', command: 'echo one >> a.txt' }] }),
    );
    await pal('run', 'plan.json', '--run-id', 'told');
    await pal('evidence', 'export', 'told', '-o', 'run.json', '--trust-root', 'keys.json');
    const { attesters } = JSON.parse(await pal('evidence', 'status', '--json')) as {
      attesters: { kind: string; leaves: number; failures: number }[];
    };
    expect(attesters.map(({ kind, leaves, failures }) => [kind, leaves, failures])).toEqual([
      ['timestamp', 1, 0],
      ['witness', 1, 0],
    ]);
    for (const name of ['run.json', 'keys.json']) copyFileSync(join(root, name), join(stranger, name));
    const found = verify();
    expect(found).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/^TAMPER-DETECTING/),
    });
    expect(found.stdout).toMatch(/^ok +time +existed at \S+, attested by stamper$/m);
    expect(found.stdout).toMatch(/^ok +witness +1 of 1 needed: witness\.example\/w1 \S+$/m);

    const [keyid = ''] = Object.keys(parseTrustRoot(readFileSync(join(root, 'keys.json'))).keys);
    await pal('evidence', 'rotate-key', '--confirm', keyid);
    for (const [since, status, row] of [
      [new Date(), 0, /^ok +signature/m],
      [new Date(Date.now() - 3_600_000), 1, /^FAIL signature +key \S+ is revoked/m],
    ] as const) {
      await pal('evidence', 'revoke-key', keyid, '--since', since.toISOString());
      await pal('evidence', 'trust-root', '-o', 'keys.json', '--force');
      copyFileSync(join(root, 'keys.json'), join(stranger, 'keys.json'));
      const again = verify();
      expect([again.status, again.stderr]).toEqual([status, '']);
      expect(again.stdout).toMatch(row);
    }
  }, 120_000);
});
