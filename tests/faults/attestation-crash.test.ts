import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  type FaultPoint,
  getEvidenceStatus,
  getTrustRoot,
  isPalisadeError,
  submitPlan,
  TrustRoot,
} from '@palisade/contracts';
import type { ControlPlane } from '@palisade/server';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Authority, CA, hasOpenssl, STAMPING } from '../../packages/evidence/test/authority.ts';
import { WitnessProcess } from '../../packages/evidence/test/witness-process.ts';
import {
  ended,
  makeRepository,
  openAt,
  removeInstallation,
  startEngine,
  until,
  verified,
} from '../support/installation.ts';
import { eachInstallationDatabase } from '../support/installation-database.ts';

const PLAN = { items: [{ id: 'a', command: 'echo one >> a.txt' }] };
/** From the leaf to the record of what others said of it. */
const POINTS: readonly FaultPoint[] = [
  'seal.before-append',
  'seal.after-append',
  'seal.before-checkpoint',
  'seal.after-publish',
  'attest.before-commit',
];

let tsa: Authority;
let ca: Buffer;
/** One for all: it knows the log of each installation by its origin. */
let witness: WitnessProcess;
beforeAll(async () => {
  if (!hasOpenssl) return;
  tsa = new Authority();
  ca = tsa.certify('root', { extensions: CA });
  tsa.certify('stamper', { issuer: 'root', extensions: STAMPING });
  witness = new WitnessProcess('witness.example/w1');
  await witness.start();
});
afterAll(async () => {
  tsa?.remove();
  await witness?.remove();
});

describe.skipIf(!hasOpenssl)('attested evidence, with an authority made of openssl', () => {
  eachInstallationDatabase('killed on the way to its witness', (makeDatabase) => {
    let root = '';
    const cleanups: (() => unknown)[] = [];
    afterEach(async () => {
      vi.unstubAllEnvs();
      for (const clean of cleanups.splice(0).toReversed()) await clean();
      removeInstallation(root);
    });

    for (const point of POINTS)
      it(`DI-226 FF-055: killed at ${point}, a run has one seal in one history, and others attest it`, {
        timeout: 120_000,
      }, async () => {
        root = makeRepository({ 'a.txt': 'zero\n' });
        const database = await makeDatabase();
        const server = tsa.serve('stamper', { status: 200 });
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        cleanups.push(() => server.close());
        const caFile = join(root, '.git/ca.pem');
        writeFileSync(
          caFile,
          `-----BEGIN CERTIFICATE-----\n${ca.toString('base64')}\n-----END CERTIFICATE-----\n`,
        );
        vi.stubEnv('PALISADE_TIMESTAMP_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
        vi.stubEnv('PALISADE_TIMESTAMP_CA', caFile);
        vi.stubEnv('PALISADE_WITNESSES', `${witness.verifierKey} ${witness.url}`);
        const plane = await database.within(() => openAt(root));
        cleanups.push(() => plane.close());
        const trustRoot = async () => TrustRoot.parse((await plane.call(getTrustRoot, {})).trust_root);
        witness.watch(await trustRoot());

        await submit(plane, root, 'before');
        await database.within(() => startEngine(plane));
        await ended(plane, 'before');
        await until('the engine to leave', async () => !(await plane.engineLives()));

        const sign = join(root, '.git/palisade-fault');
        await submit(plane, root, 'crash');
        const env = { ...database.env, PALISADE_FAULT: point, PALISADE_FAULT_SIGN: sign };
        // It may die before whoever started it has seen its sign.
        await startEngine(plane, env).catch((error: unknown) => {
          if (!isPalisadeError(error, 'start_failed')) throw error;
        });
        await until(`the engine to die at ${point}`, async () => !(await plane.engineLives()));
        expect(readFileSync(sign, 'utf8').trim()).toBe(point);

        await database.within(() => startEngine(plane));
        await ended(plane, 'crash');
        for (const run of ['before', 'crash']) {
          const { bundle, report } = await verified(plane, run);
          expect(report.checks.filter(({ ok }) => ok === false)).toEqual([]);
          // Its witness saw one history: a seal made twice would be another tree of the same size.
          expect(report).toMatchObject({ intact: true, guarantee: 'witnessed', time_tier: 'tsa-attested' });
          expect(bundle.log.leaf_index).toBe(run === 'before' ? 0 : 1);
        }
        const { leaves, attesters } = await plane.call(getEvidenceStatus, {});
        expect([leaves, ...attesters.map((party) => [party.kind, party.leaves, party.failures])]).toEqual([
          2,
          ['timestamp', 2, 0],
          ['witness', 2, 0],
        ]);
      });
  });
});

async function submit(plane: ControlPlane, repository: string, run_id: string): Promise<void> {
  await plane.call(submitPlan, { plan: PLAN, run_id, repository });
}
