import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import * as fc from 'fast-check';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import type { Lease } from '../index.ts';
import { eachDatabase } from '../testing/index.ts';

eachDatabase('leases', (open, dialect) => {
  it('EX-088: whatever is tried, one holder at a time, fences only grow, and a stale fence changes nothing', async () => {
    let wall = 1_000;
    const database = await open({ wallClock: () => wall });
    const owner = fc.constantFrom('ann', 'ben');
    const command = fc.oneof(
      fc.record({ do: fc.constant('claim' as const), owner, ttl: fc.integer({ min: 1, max: 50 }) }),
      fc.record({
        do: fc.constant('take' as const),
        owner,
        ttl: fc.integer({ min: 1, max: 50 }),
        which: fc.nat(50),
      }),
      fc.record({
        do: fc.constant('renew' as const),
        ttl: fc.integer({ min: 1, max: 50 }),
        which: fc.nat(50),
      }),
      fc.record({ do: fc.constant('assert' as const), which: fc.nat(50) }),
      fc.record({ do: fc.constant('release' as const), which: fc.nat(50) }),
      fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 40 }) }),
    );
    let resources = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
        const resource = `r${resources++}`;
        const granted: Lease[] = [];
        let fence = 0;
        let current: Lease | null = null;
        const pick = (which: number): Lease =>
          granted[which % Math.max(granted.length, 1)] ?? {
            resource,
            owner: 'nobody',
            fence: 0,
            expiresAt: 0,
          };
        const isCurrent = (lease: Lease): boolean =>
          current?.fence === lease.fence && current.owner === lease.owner && wall < current.expiresAt;
        for (const step of commands) {
          if (step.do === 'wait') {
            wall += step.ms;
          } else if (step.do === 'claim' || step.do === 'take') {
            const from = step.do === 'take' ? pick(step.which) : undefined;
            const free: boolean = current === null || wall >= current.expiresAt;
            const lease = await database.write((tx) => tx.leases.claim(resource, step.owner, step.ttl, from));
            if (free || (from !== undefined && isCurrent(from))) {
              expect(lease).toEqual({
                resource,
                owner: step.owner,
                fence: fence + 1,
                expiresAt: wall + step.ttl,
              });
              fence++;
              current = lease;
              if (lease !== null) granted.push(lease);
            } else expect(lease).toBeNull();
          } else {
            const lease = pick(step.which);
            const valid = isCurrent(lease);
            const held: boolean = current?.fence === lease.fence;
            if (step.do === 'release') {
              expect(await database.write((tx) => tx.leases.release(lease))).toBe(held);
              if (held) current = null;
              continue;
            }
            const outcome: Promise<Lease | void> =
              step.do === 'renew'
                ? database.write((tx) => tx.leases.renew(lease, step.ttl))
                : database.write((tx) => tx.leases.assert(lease));
            if (!valid) await expect(outcome).rejects.toMatchObject({ code: 'lease_conflict' });
            else if (step.do === 'assert') await outcome;
            else {
              const expiresAt: number = Math.max(current?.expiresAt ?? 0, wall + step.ttl);
              current = { ...lease, expiresAt };
              expect(await outcome).toEqual(current);
            }
          }
          expect(await database.write((tx) => tx.leases.read(resource))).toEqual(current);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('FF-045: many claims of one identity at once give one lease', async () => {
    const database = await open();
    const leases = await Promise.all(
      Array.from({ length: 12 }, () => database.write((tx) => tx.leases.claim('r', 'same', 60_000))),
    );
    expect(leases.filter((lease) => lease !== null)).toHaveLength(1);
  });

  it('a lease is free from the very millisecond it expires, with a higher fence', async () => {
    let wall = 1_000;
    const [dead, next] = [await open({ wallClock: () => wall }), await open({ wallClock: () => wall })];
    const first = await dead.write((tx) => tx.leases.claim('r', 'dead', 30_000));
    await dead.close();
    wall += 29_999;
    expect(await next.write((tx) => tx.leases.claim('r', 'next', 30_000))).toBeNull();
    wall += 1; // now == expires_at is expired
    const second = await next.write((tx) => tx.leases.claim('r', 'next', 30_000));
    expect(second?.fence).toBe((first?.fence ?? 0) + 1);
  });

  it('AC-129: a renewal that waited past the deadline is refused', async () => {
    let wall = 1_000;
    const database = await open({ wallClock: () => wall });
    const lease = await database.write((tx) => tx.leases.claim('r', 'me', 100));
    if (lease === null) throw new Error('the lease was free');
    const lock = dialect === 'sqlite' ? sqliteLock(open.url()) : await postgresLock(open.url());
    const renewal = database.write((tx) => tx.leases.renew(lease, 100));
    const verdict = expect(renewal).rejects.toMatchObject({ code: 'lease_conflict' });
    await delay(50); // long enough to be waiting for the lock; the verdict does not depend on it
    wall = lease.expiresAt;
    await lock.release();
    await verdict;
    expect(await database.write((tx) => tx.leases.read('r'))).toEqual(lease);
  });

  // With one writer nothing waits between a body's last statement and its commit.
  if (dialect === 'postgres')
    it('EX-088: a lease that lapses in the transaction that takes it is taken again, and given up when that does not end', async () => {
      let wall = 1_000;
      const database = await open({ wallClock: () => wall });
      const taken = (slow: number) => {
        let runs = 0;
        return database.write(async (tx) => {
          const lease = await tx.leases.claim(`r${slow}`, 'me', 100);
          if (lease !== null) await tx.leases.assert(lease);
          // As a machine that stands still.
          if (++runs <= slow) wall += 200;
          return { lease, runs };
        });
      };
      expect(await taken(1)).toMatchObject({ lease: { fence: 1, expiresAt: wall + 100 }, runs: 2 });
      await expect(taken(9)).rejects.toMatchObject({ code: 'lease_conflict' });
      expect(await database.read((tx) => tx.leases.read('r9'))).toBeNull();
    });
});

/** Somebody who holds the writer lock of the file. */
function sqliteLock(path: string): { release: () => Promise<void> } {
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  return {
    release: async () => {
      other.exec('ROLLBACK');
      other.close();
    },
  };
}

/** Somebody who locked the lease's row and will change nothing. */
async function postgresLock(url: string): Promise<{ release: () => Promise<void> }> {
  const other = new Client({ connectionString: url });
  await other.connect();
  await other.query('BEGIN');
  await other.query('SELECT * FROM kernel_leases FOR UPDATE');
  return { release: () => other.end() };
}
