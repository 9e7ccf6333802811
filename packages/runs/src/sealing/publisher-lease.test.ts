import { setTimeout as delay } from 'node:timers/promises';
import type { NamedFiles } from '@palisade/contracts';
import { ed25519Signer, generateEd25519, LogReader } from '@palisade/evidence';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { ownerName, runMigrations, Sealer, sealMigrations } from '../index.ts';
import { appendLeaf } from './seal-store.ts';

const LEASE_MS = 300;
const migrations = [...runMigrations, ...sealMigrations];
const signer = ed25519Signer(generateEd25519().privateKeyPkcs8Der);
const keys = { current: async () => signer };

/** The log's files in memory. While `hold` is set, a write waits for it. */
function memoryFiles() {
  const files = new Map<string, Buffer>();
  const gate: { hold: Promise<void> | null; waiting: number } = { hold: null, waiting: 0 };
  const named: NamedFiles = {
    read: async (name) => files.get(name) ?? null,
    write: async (name, bytes) => {
      gate.waiting++;
      await gate.hold;
      gate.waiting--;
      files.set(name, Buffer.from(bytes));
    },
  };
  return { named, gate };
}

eachDatabase('the publisher of the log', (open) => {
  const PUBLISHER = 'log:publisher';
  const envelope = { payload: '', payloadType: '', signatures: [{ keyid: '', sig: '' }] };

  it('EX-088: keeps its lease for as long as one publication takes, and nobody publishes beside it', async () => {
    const database = await open({ migrations });
    const { named, gate } = memoryFiles();
    const faults: unknown[] = [];
    const sealer = async () =>
      new Sealer({
        database,
        files: named,
        keys,
        origin: 'test.example/log',
        owner: ownerName('sealer'),
        leaseMs: LEASE_MS,
        onFault: (error) => faults.push(error),
      });
    const lease = () => database.read((tx) => tx.leases.read(PUBLISHER));
    await database.write((tx) => appendLeaf(tx, 'one', Buffer.from('leaf one'), envelope));
    let release = (): void => {};
    gate.hold = new Promise((resolve) => {
      release = resolve;
    });
    const slow = (await sealer()).publish();
    await expect.poll(() => gate.waiting).toBeGreaterThan(0);
    const first = await lease();
    await database.write((tx) => appendLeaf(tx, 'two', Buffer.from('leaf two'), envelope));
    let isDone = false;
    const other = (await sealer()).publish().then(() => {
      isDone = true;
    });
    // The lease outlives itself several times over, under one fence.
    const outlived = (first?.expiresAt ?? 0) + 3 * LEASE_MS;
    await expect
      .poll(async () => (await lease())?.expiresAt ?? 0, { timeout: 20_000 })
      .toBeGreaterThan(outlived);
    expect((await lease())?.fence).toBe(first?.fence);
    expect(isDone).toBe(false);
    gate.hold = null;
    release();
    await Promise.all([slow, other]);
    const reader = new LogReader(named);
    expect((await reader.prove(1, Buffer.from('leaf two'))).tree_size).toBe(2);
    expect(faults).toEqual([]);
  });

  it('EX-088: writes nothing more once another publisher has taken over', async () => {
    const database = await open({ migrations });
    const { named, gate } = memoryFiles();
    const options = { database, files: named, keys, origin: 'test.example/log', onFault: () => {} };
    await database.write((tx) => appendLeaf(tx, 'one', Buffer.from('leaf one'), envelope));
    let release = (): void => {};
    gate.hold = new Promise((resolve) => {
      release = resolve;
    });
    const first = new Sealer({ ...options, owner: 'nobody|elsewhere', leaseMs: 3_600_000 });
    const slow = first.publish();
    await expect.poll(() => gate.waiting).toBeGreaterThan(0);
    // Somebody proved its holder dead, as after a reboot, and publishes more.
    const held = await database.read((tx) => tx.leases.read(PUBLISHER));
    const taken = await database.write((tx) => tx.leases.claim(PUBLISHER, 'next', 60_000, held ?? undefined));
    if (taken === null) throw new Error('the lease was not given');
    release();
    gate.hold = null;
    await delay(100);
    expect(await named.read('checkpoint')).toBeNull();
    await database.write((tx) => tx.leases.release(taken));
    // What it has to do is not forgotten: it publishes as soon as it may.
    await slow;
    expect((await new LogReader(named).prove(0, Buffer.from('leaf one'))).tree_size).toBe(1);
  });
});
