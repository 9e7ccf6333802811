import {
  callerOf,
  contentHash,
  exportEvidence,
  getTrustRoot,
  type NamedFiles,
  TrustRoot,
} from '@palisade/contracts';
import { ed25519Signer, generateEd25519, verifyBundle } from '@palisade/evidence';
import type { Database } from '@palisade/kernel';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { evidenceOperations, ownerName, runMigrations, runStream, Sealer, sealMigrations } from '../index.ts';
import { finishRootRun, insertRootRun } from '../run/run-store.ts';

const signer = ed25519Signer(generateEd25519().privateKeyPkcs8Der);
const origin = 'test.example/log';

/** A run that has ended: one item could not start, another waited for it. */
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
      pause: null,
      priority: 0,
      budget: null,
      spent: null,
      base: { kind: 'empty' },
      settings: { sandbox: 'process', allowNetwork: false },
      planRef: hash,
      requestHash: hash,
      rerunOf: null,
      isOpenEnded: false,
      sealedAt: null,
    });
    await tx.journal.append(stream, 'run.submitted', {
      run: id,
      title: id,
      queue: 'default',
      actor: 'human:ann',
      items: 2,
      plan_ref: hash,
      workspace: { kind: 'empty' },
    });
    await tx.journal.append(stream, 'item.failed', {
      item: 'a',
      code: 'requirements_unmet',
      reason: 'nothing to work on',
    });
    await tx.journal.append(stream, 'item.skipped', { item: 'b', because: 'a' });
    await tx.journal.append(stream, 'run.completed', {
      run: id,
      status: 'failed',
      counts: { failed: 1, skipped: 1 },
    });
    await tx.journal.seal(stream);
    await finishRootRun(tx, id, 'failed', null);
  });
}

/** The log's files in memory. */
function memoryFiles() {
  const stored = new Map<string, Buffer>();
  const files: NamedFiles = {
    read: async (name) => stored.get(name) ?? null,
    write: async (name, bytes) => void stored.set(name, Buffer.from(bytes)),
  };
  return { stored, files };
}

eachDatabase('the operations on evidence', (open) => {
  /** An installation's evidence, with no room above this one. */
  async function installation() {
    const database = await open({ migrations: [...runMigrations, ...sealMigrations] });
    const { stored, files } = memoryFiles();
    const faults: unknown[] = [];
    const sealer = new Sealer({
      database,
      files,
      keys: { current: async () => signer },
      origin,
      owner: ownerName('sealer'),
      onFault: (error) => faults.push(error),
    });
    const ops = callerOf(
      evidenceOperations({
        database,
        files,
        origin,
        publish: (how) => sealer.publish(how),
        seal: () => sealer.settle(),
        keys: undefined as never,
        whileUnpublished: (body) => sealer.whileUnpublished(body),
      }),
    );
    const exported = async (run: string) => {
      const bundle = await ops.call(exportEvidence, { run });
      const { trust_root } = await ops.call(getTrustRoot, {});
      expect(verifyBundle(bundle, TrustRoot.parse(trust_root)).intact).toBe(true);
      return bundle;
    };
    return { database, stored, faults, exported };
  }

  it('DI-229: what the items of a run were is told by its ledger', async () => {
    const { database, exported } = await installation();
    await endedRun(database, 'one');
    expect((await exported('one')).items).toEqual([
      { id: 'a', attempts: 0, status: 'failed' },
      { id: 'b', attempts: 0, status: 'skipped' },
    ]);
  });

  it('DI-229: a log whose files were lost or damaged is made again from the database when somebody wants a proof', async () => {
    const { database, stored, faults, exported } = await installation();
    for (const run of ['one', 'two', 'three']) {
      await endedRun(database, run);
      await exported(run);
    }
    const whole = new Map(stored);
    const bundle = await exported('one');
    const tile = 'tile/0/000.p/3';
    for (const damage of [null, Buffer.alloc(32), Buffer.alloc(96)]) {
      if (damage === null) stored.delete(tile);
      else stored.set(tile, damage);
      expect(await exported('one')).toEqual(bundle);
    }
    const names = [...stored.keys()].filter(
      (name) => !stored.get(name)?.equals(whole.get(name) ?? Buffer.alloc(0)),
    );
    expect(names).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('DI-226: a log whose entries were changed is not made again, and nothing is signed', async () => {
    const { database, stored, exported } = await installation();
    for (const run of ['one', 'two']) {
      await endedRun(database, run);
      await exported(run);
    }
    const before = new Map(stored);
    await database.write((tx) => tx.sql.run("UPDATE log_leaves SET leaf = '{}' WHERE leaf_index = 1"));
    for (const name of stored.keys()) if (name.startsWith('tile/')) stored.delete(name);
    await expect(exported('one')).rejects.toMatchObject({
      code: 'integrity_mismatch',
      message: expect.stringContaining('do not have the root that was published'),
    });
    expect([...stored]).toEqual([...before].filter(([name]) => !name.startsWith('tile/')));
  });
});
