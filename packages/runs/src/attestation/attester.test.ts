import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  callerOf,
  contentHash,
  exportEvidence,
  getEvidenceStatus,
  getTrustRoot,
  revokeKey,
  rotateKey,
  TrustRoot,
  type VerificationReport,
} from '@palisade/contracts';
import {
  ed25519Signer,
  generateEd25519,
  parseTrustRoot,
  type Signer,
  trustRootFrom,
  verifyBundle,
} from '@palisade/evidence';
import { type Database, EgressClient, fileNamedFiles } from '@palisade/kernel';
import { eachDatabase } from '@palisade/kernel/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Authority, CA, hasOpenssl, STAMPING } from '../../../evidence/test/authority.ts';
import { WitnessProcess } from '../../../evidence/test/witness-process.ts';
import {
  Attester,
  evidenceOperations,
  httpTimestampAuthority,
  httpWitness,
  ownerName,
  rememberKey,
  runMigrations,
  runStream,
  Sealer,
  sealMigrations,
} from '../index.ts';
import { finishRootRun, insertRootRun } from '../run/run-store.ts';

const HOUR = 3_600_000;

let tsa: Authority;
let ca: Buffer;
/** One for all: it knows the log of each installation by its origin. */
let witness: WitnessProcess;
beforeAll(() => {
  if (!hasOpenssl) return;
  tsa = new Authority();
  ca = tsa.certify('root', { key: 'rsa', extensions: CA });
  tsa.certify('stamper', { issuer: 'root', extensions: STAMPING });
  witness = new WitnessProcess('witness.example/w1');
});
afterAll(async () => {
  tsa?.remove();
  await witness?.remove();
});

/** A run that has ended. */
async function endedRun(database: Database, id: string): Promise<void> {
  const hash = contentHash(id);
  const stream = runStream(id);
  await database.write(async (tx) => {
    await insertRootRun(tx, {
      id,
      project: 'default',
      kind: 'plan',
      state: 'queued',
      title: id,
      queue: 'default',
      actor: 'human:ann',
      submittedAt: tx.now,
      startedAt: null,
      finishedAt: null,
      deadlineAt: null,
      reason: null,
      cancelRequestedAt: null,
      cancelReason: null,
      base: { kind: 'empty' },
      settings: { sandbox: 'process', allowNetwork: false },
      planRef: hash,
      requestHash: hash,
      isOpenEnded: false,
      priority: 0,
      pause: null,
      budget: null,
      spent: null,
      rerunOf: null,
      sealedAt: null,
    });
    await tx.journal.append(stream, 'run.submitted', {
      run: id,
      title: id,
      queue: 'default',
      actor: 'human:ann',
      items: 1,
      plan_ref: hash,
      workspace: { kind: 'empty' },
    });
    await tx.journal.append(stream, 'item.failed', {
      item: 'a',
      code: 'requirements_unmet',
      reason: 'nothing',
    });
    await tx.journal.append(stream, 'run.completed', { run: id, status: 'failed', counts: { failed: 1 } });
    await tx.journal.seal(stream);
    await finishRootRun(tx, id, 'failed', null);
  });
}

describe.skipIf(!hasOpenssl)('with an authority made of openssl', () => {
  eachDatabase('evidence that others attest', (open) => {
    const cleanups: (() => unknown)[] = [];
    afterEach(async () => {
      for (const clean of cleanups.splice(0).toReversed()) await clean();
    });

    /** An installation that asks a real authority and a real witness over HTTP, with a clock that can be set on. */
    async function installation() {
      const clock = { ahead: 0 };
      const database = await open({
        migrations: [...runMigrations, ...sealMigrations],
        wallClock: () => Date.now() + clock.ahead,
      });
      const place = mkdtempSync(join(tmpdir(), 'palisade-attest-'));
      cleanups.push(() => rmSync(place, { recursive: true }));
      const files = fileNamedFiles(join(place, 'log'));
      const stamping = { status: 200 };
      const server: Server = tsa.serve('stamper', stamping);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      cleanups.push(() => server.close());
      await witness.start();
      const origin = `test.example/${randomUUID()}`;
      const client = new EgressClient({ allowLocal: true });
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const keyring = {
        now: ed25519Signer(generateEd25519().privateKeyPkcs8Der),
        next: null as Signer | null,
      };
      await database.write((tx) =>
        rememberKey(tx, { ...keyring.now, spkiDer: keyring.now.publicKeySpkiDer }),
      );
      const keys = {
        current: async () => keyring.now,
        makeNext: async () => (keyring.next = ed25519Signer(generateEd25519().privateKeyPkcs8Der)),
        adoptNext: async () => void (keyring.now = keyring.next ?? keyring.now),
        dropNext: async () => {},
      };
      const faults: string[] = [];
      const attester = new Attester({
        database,
        files,
        authority: httpTimestampAuthority({ url, client, authorities: [ca] }),
        witnesses: [httpWitness({ verifierKey: witness.verifierKey, url: witness.url, client })],
        owner: ownerName('attester'),
        leaseMs: 30_000,
        onFault: (error) => faults.push((error as Error).message),
      });
      const onFault = (error: unknown): void => {
        throw error;
      };
      const sealer = new Sealer({
        database,
        files,
        keys,
        origin,
        owner: ownerName('sealer'),
        attester,
        onFault,
      });
      const ops = callerOf(
        evidenceOperations({
          database,
          files,
          origin,
          publish: (how) => sealer.publish(how),
          seal: () => sealer.settle(),
          keys,
          whileUnpublished: (body) => sealer.whileUnpublished(body),
          attest: () => sealer.attest(),
          trusted: {
            witnesses: { needed: 1, keys: [witness.verifierKey] },
            timestamps: { required: false, authorities: [ca.toString('base64')] },
          },
        }),
      );
      const trustRoot = async () => TrustRoot.parse((await ops.call(getTrustRoot, {})).trust_root);
      witness.watch(await trustRoot());
      const verified = async (run: string, root?: TrustRoot): Promise<VerificationReport> =>
        verifyBundle(await ops.call(exportEvidence, { run }), root ?? (await trustRoot()));
      const attesters = async () => (await ops.call(getEvidenceStatus, {})).attesters;
      return {
        database,
        clock,
        files,
        stamping,
        origin,
        ops,
        sealer,
        faults,
        trustRoot,
        verified,
        attesters,
      };
    }

    const rowOf = (report: VerificationReport, name: string): string => {
      const check = report.checks.find((row) => row.name === name);
      return `${String(check?.ok)}: ${check?.detail}`;
    };

    it('DI-228 DI-251: a sealed run carries a verified time and a cosignature, and says no more than that', async () => {
      const { database, verified, faults, attesters, trustRoot } = await installation();
      const before = Date.now() - 1_000;
      await endedRun(database, 'one');
      const report = await verified('one');
      expect(report).toMatchObject({
        intact: true,
        time_tier: 'tsa-attested',
        guarantee: 'witnessed',
        claim: 'tamper-detecting',
      });
      expect(rowOf(report, 'time')).toMatch(/^true: existed at \S+Z, attested by stamper/);
      expect(Date.parse(/at (\S+),/.exec(rowOf(report, 'time'))?.[1] ?? '')).toBeGreaterThan(before);
      expect(rowOf(report, 'witness')).toMatch(/^true: 1 of 1 needed: witness\.example\/w1 \d{4}-/);
      expect(await attesters()).toMatchObject([
        { kind: 'timestamp', leaves: 1, failures: 0 },
        { kind: 'witness', name: 'witness.example/w1', leaves: 1, failures: 0 },
      ]);
      // Whoever trusts neither is told so, and nothing is claimed.
      const { witnesses: _w, timestamps: _t, ...bare } = await trustRoot();
      const alone = await verified('one', bare);
      expect(alone).toMatchObject({ intact: true, time_tier: 'asserted', guarantee: 'detect' });
      expect(rowOf(alone, 'time')).toMatch(/^n\/a: .* no authority in the trust root/);
      expect(rowOf(alone, 'witness')).toMatch(/^n\/a: none configured; 1 further signature/);
      expect(faults).toEqual([]);
    });

    it('DI-225: an authority and a witness that are away lose nothing, are told of, and are asked again', async () => {
      const { database, clock, stamping, verified, faults, attesters } = await installation();
      stamping.status = 503;
      await witness.stop();
      await endedRun(database, 'one');
      const meanwhile = await verified('one');
      expect(meanwhile).toMatchObject({
        intact: false,
        failure: 'witness',
        claim: 'unproven',
        time_tier: 'asserted',
      });
      expect(rowOf(meanwhile, 'witness')).toBe('false: 0 of 1 needed');
      expect(rowOf(meanwhile, 'time')).toMatch(/^n\/a: \S+ asserted, not attested$/);
      expect(faults).toHaveLength(2);
      expect(await attesters()).toMatchObject([
        { kind: 'timestamp', leaves: 0, failures: 1, error: expect.stringContaining('status 503') },
        { kind: 'witness', leaves: 0, failures: 1, error: expect.stringContaining('upstream_failed') },
      ]);
      // They are not asked again at once, whatever is exported or sealed.
      await verified('one');
      await endedRun(database, 'two');
      await verified('two');
      expect(faults).toHaveLength(2);
      stamping.status = 200;
      await witness.start();
      clock.ahead += HOUR;
      const later = await verified('one');
      expect(later).toMatchObject({ intact: true, time_tier: 'tsa-attested', guarantee: 'witnessed' });
      expect(await verified('two')).toMatchObject({ intact: true, time_tier: 'tsa-attested' });
      expect(await attesters()).toMatchObject([
        { kind: 'timestamp', leaves: 2, failures: 0 },
        { kind: 'witness', leaves: 2, failures: 0 },
      ]);
    });

    it('DI-229: an earlier run keeps the time and the cosignature it got, however the log goes on', async () => {
      const { database, ops, files, verified } = await installation();
      await endedRun(database, 'one');
      const first = await ops.call(exportEvidence, { run: 'one' });
      for (let i = 0; i < 5; i++) {
        await endedRun(database, `later-${i}`);
        await verified(`later-${i}`);
      }
      expect(await ops.call(exportEvidence, { run: 'one' })).toEqual(first);
      // Also when the files of the log had to be made again, which hold no earlier edge then.
      await files.remove?.('tile');
      expect(await ops.call(exportEvidence, { run: 'one' })).toEqual(first);
    });

    it('DI-252: a revoked key holds for what verifiably was there before, and for nothing else', async () => {
      const { database, verified, trustRoot } = await installation();
      await endedRun(database, 'one');
      await verified('one');
      const root = await trustRoot();
      const revoked = (at: number, change: Partial<TrustRoot> = {}): TrustRoot => {
        const keys = Object.entries(root.keys).map(([keyid, key]) => [
          keyid,
          { ...key, status: 'revoked', revoked_at: new Date(at).toISOString() },
        ]);
        const value = { ...root, ...change, keys: Object.fromEntries(keys) };
        return parseTrustRoot(Buffer.from(JSON.stringify(value)));
      };
      expect(await verified('one', revoked(Date.now() + HOUR))).toMatchObject({ intact: true });
      const after = await verified('one', revoked(Date.now() - HOUR));
      expect(after).toMatchObject({ intact: false, failure: 'signature', claim: 'tampered' });
      expect(rowOf(after, 'signature')).toContain('is not known to have existed before');
      expect(rowOf(after, 'inclusion')).toContain('is not known to have existed before');
      const untimed = await verified('one', revoked(Date.now() + HOUR, { timestamps: undefined }));
      expect(rowOf(untimed, 'signature')).toContain('no verified time shows that it was used before');
    });

    it('DI-252: the installation declares a retired key compromised, and its trust root says so', async () => {
      const { database, ops, verified, trustRoot } = await installation();
      await endedRun(database, 'one');
      await verified('one');
      const keyid = Object.keys((await trustRoot()).keys)[0] ?? '';
      const revoke = (input: { keyid: string; since: number; dry_run?: boolean }) =>
        ops.call(revokeKey, input);
      await expect(revoke({ keyid, since: 0 })).rejects.toMatchObject({ code: 'invalid_state' });
      await expect(revoke({ keyid: 'nobody', since: 0 })).rejects.toMatchObject({ code: 'not_found' });
      const { at = 0 } = await ops.call(rotateKey, {});
      await expect(revoke({ keyid, since: Date.now() + HOUR })).rejects.toMatchObject({
        code: 'invalid_input',
      });
      expect(await revoke({ keyid, since: at, dry_run: true })).toEqual({ keyid, revoked_at: at });
      expect((await trustRoot()).keys[keyid]?.status).toBe('active');
      // What was attested before the declaration holds; an earlier one takes it away, and a later one gives nothing back.
      for (const [since, revokedAt, isIntact] of [
        [at, at, true],
        [at - HOUR, at - HOUR, false],
        [at, at - HOUR, false],
      ] as const) {
        expect(await revoke({ keyid, since })).toEqual({ keyid, revoked_at: revokedAt });
        expect((await trustRoot()).keys[keyid]).toMatchObject({
          status: 'revoked',
          revoked_at: new Date(revokedAt).toISOString(),
        });
        expect(await verified('one')).toMatchObject({ intact: isIntact });
      }
      // The witness learns of the new key by the trust root.
      witness.watch(await trustRoot());
      await endedRun(database, 'two');
      expect(await verified('two')).toMatchObject({ intact: true, time_tier: 'tsa-attested' });
    });

    it('DI-226 DI-252: replacing the key takes nothing away, also when the authority was away until after it', async () => {
      const { database, clock, stamping, ops, verified, trustRoot } = await installation();
      await endedRun(database, 'one');
      await verified('one');
      stamping.status = 500;
      await endedRun(database, 'two');
      await verified('two');
      const { at = 0 } = await ops.call(rotateKey, {});
      // The authority tells whole seconds.
      await expect.poll(() => Math.floor(Date.now() / 1_000) * 1_000 > at, { timeout: 5_000 }).toBe(true);
      witness.watch(await trustRoot());
      stamping.status = 200;
      clock.ahead += HOUR;
      await endedRun(database, 'three');
      const reports = await Promise.all(['one', 'two', 'three'].map((run) => verified(run)));
      expect(reports.map(({ intact, time_tier }) => [intact, time_tier])).toEqual([
        [true, 'tsa-attested'],
        // Its time came after the end of its key, which would speak against it: it is left out.
        [true, 'asserted'],
        [true, 'tsa-attested'],
      ]);
    });

    it('DI-226: a log that was set back is refused by its witness, which is told of as such', async () => {
      const { database, clock, files, origin, verified, faults, attesters } = await installation();
      for (const run of ['one', 'two']) {
        await endedRun(database, run);
        await verified(run);
      }
      // A backup of yesterday is restored: the database and the files know of one leaf.
      await database.write(async (tx) => {
        await tx.sql.run('DELETE FROM log_leaves WHERE leaf_index = 1');
        await tx.sql.run('DELETE FROM log_checkpoints');
        await tx.sql.run('DELETE FROM log_cosignatures');
        await tx.sql.run('DELETE FROM log_attesters');
      });
      await files.remove?.('checkpoint');
      await files.remove?.('tile');
      clock.ahead += HOUR;
      await endedRun(database, 'three');
      const report = await verified('three');
      expect(rowOf(report, 'witness')).toBe('false: 0 of 1 needed');
      expect(faults).toEqual(['witness witness.example/w1 refused the log']);
      expect((await attesters())[1]).toMatchObject({ error: expect.stringContaining('integrity_mismatch') });
      expect(trustRootFrom(origin, [])).toMatchObject({ log_origin: origin });
    });
  });
});
