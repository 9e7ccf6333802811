import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it, vi } from 'vitest';
import { probeMigrations as migrations } from '../../test/probe-schema.ts';
import type { Database } from '../index.ts';
import { eachDatabase } from '../testing/index.ts';

// Twenty and more Node processes start here, on whatever machine there is.
vi.setConfig({ testTimeout: 240_000 });

let children: Child[] = [];

interface Child {
  readonly process: ChildProcess;
  /** Lines it wrote, complete ones only. */
  readonly lines: () => string[];
  readonly errors: () => string;
  /** Resolves when the n-th line (from 1) is there. */
  readonly line: (n: number) => Promise<string>;
  readonly exit: Promise<number | null>;
}

function start(script: string, ...args: readonly string[]): Child {
  const path = fileURLToPath(new URL(`../../test/${script}`, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  let out = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const lines = (): string[] => out.split('\n').slice(0, -1);
  const exit = once(child, 'close').then(([code]) => code as number | null);
  const line = async (n: number): Promise<string> => {
    for (;;) {
      const found = lines()[n - 1];
      if (found !== undefined) return found;
      const ended = await Promise.race([once(child.stdout, 'data').then(() => false), exit.then(() => true)]);
      if (ended && lines().length < n) throw new Error(`the process ended early: ${errors}`);
    }
  };
  const started = { process: child, lines, errors: () => errors, line, exit };
  children.push(started);
  return started;
}

afterEach(async () => {
  for (const child of children) child.process.kill('SIGKILL');
  await Promise.all(children.map((child) => child.exit));
  children = [];
});

const number = async (database: Database, sql: string): Promise<number> =>
  (await database.read((tx) => tx.sql.get<{ n: number }>(sql)))?.n ?? -1;

eachDatabase('several processes', (open, dialect) => {
  const processes = dialect === 'sqlite' ? 16 : 4;
  const writes = 12;

  it(`FF-083: ${processes} processes write at once; every row is there and no error reaches a caller`, async () => {
    const database = await open({ migrations });
    const writers = Array.from({ length: processes }, (_, i) =>
      start('writer-process.ts', open.url(), `w${i}`, String(writes)),
    );
    for (const writer of writers) expect([await writer.exit, writer.errors()]).toEqual([0, '']);
    expect(await number(database, "SELECT n FROM probe WHERE id = 'total'")).toBe(processes * writes);
    expect(await number(database, 'SELECT COUNT(*) AS n FROM probe')).toBe(processes * writes + 1);
    const head = await database.read((tx) => tx.journal.head('run:all'));
    expect(head.seq).toBe(processes * writes - 1);
    expect(await number(database, 'SELECT COUNT(*) AS n FROM kernel_events')).toBe(processes * writes);
  });

  it('SIGKILL during commits loses no acknowledged write and leaves no half of one', async () => {
    const database = await open({ migrations });
    for (let round = 0; round < 3; round++) {
      const writer = start('writer-process.ts', open.url(), `round${round}`, '1000000');
      await writer.line(20 + round * 7);
      writer.process.kill('SIGKILL');
      await writer.exit;
      const acknowledged = writer.lines().length;
      const rows = await number(database, `SELECT COUNT(*) AS n FROM probe WHERE id LIKE 'round${round}-%'`);
      expect(rows).toBeGreaterThanOrEqual(acknowledged);
      expect(rows).toBeLessThanOrEqual(acknowledged + 1);
      const total = await number(database, "SELECT n FROM probe WHERE id = 'total'");
      expect(total).toBe((await number(database, 'SELECT COUNT(*) AS n FROM probe')) - 1);
      expect((await database.read((tx) => tx.journal.head('run:all'))).seq).toBe(total - 1);
    }
  });

  it('FF-049: a holder stopped past its expiry finds its fence gone and changes nothing', async () => {
    const database = await open({ migrations });
    await database.write(async (tx) => {
      await tx.sql.run("INSERT INTO probe (id, n, note) VALUES ('effect', 0, NULL)");
      await tx.jobs.enqueue('work', null);
    });
    const late = start('holder-process.ts', open.url());
    await late.line(1);
    late.process.kill('SIGSTOP');
    const successor = async () =>
      database.write(async (tx) => {
        const lease = await tx.leases.claim('thing', 'next', 60_000);
        return lease && { lease, job: await tx.jobs.claim(['work'], 'next', 60_000) };
      });
    let next = await successor();
    while (next === null) next = await successor();
    const { lease, job } = next;
    expect(lease.fence).toBe(2);
    if (job === null) throw new Error('the lease ran out, the job did not');
    await database.write(async (tx) => {
      await tx.leases.assert(lease);
      await tx.sql.run("UPDATE probe SET n = n + 1, note = 'next' WHERE id = 'effect'");
      await tx.jobs.complete(job);
    });
    late.process.kill('SIGCONT');
    late.process.stdin?.write('go\n');
    const conflict = 'lease_conflict';
    expect(JSON.parse(await late.line(2))).toEqual({
      guarded: conflict,
      renew: conflict,
      heartbeat: conflict,
      complete: conflict,
      fail: conflict,
    });
    expect(await late.exit).toBe(0);
    const effect = await database.read((tx) => tx.sql.get("SELECT n, note FROM probe WHERE id = 'effect'"));
    expect({ ...effect }).toEqual({ n: 1, note: 'next' });
    expect(await number(database, "SELECT COUNT(*) AS n FROM kernel_jobs WHERE status = 'completed'")).toBe(
      1,
    );
  });

  it('FF-041: the lease of a killed process is free within its period', async () => {
    const database = await open({ migrations });
    await database.write((tx) => tx.jobs.enqueue('work', null));
    const holder = start('holder-process.ts', open.url());
    await holder.line(1);
    holder.process.kill('SIGKILL');
    await holder.exit;
    const killed = await database.write(async (tx) => ({
      now: tx.now,
      lease: await tx.leases.read('thing'),
    }));
    const deadline = killed.lease?.expiresAt ?? 0;
    for (;;) {
      const [now, lease] = await database.write(async (tx) => [
        tx.now,
        await tx.leases.claim('thing', 'next', 1_000),
      ]);
      if (lease !== null) {
        expect(now).toBeGreaterThanOrEqual(deadline);
        break;
      }
      expect(now).toBeLessThan(deadline);
    }
  });
});
