import { type Database, JobDesk, openDatabase } from '@palisade/kernel';
import { Pool } from 'pg';
import { percentile, report } from './report.ts';
import type { Floors } from './floors.ts';

const TABLE = 'CREATE TABLE bench (id TEXT PRIMARY KEY, n BIGINT NOT NULL)';
const migrations = [{ id: 'bench-0001', sql: TABLE }];

/** Group-committed mutations and journal appends on SQLite. */
export async function benchSqlite(path: string, floors: Floors, short: boolean): Promise<void> {
  const database = await openDatabase({ url: path, migrations });
  const one = await mutations(database, 1, short ? 300 : 1_500);
  const many = await mutations(database, 64, short ? 3_000 : 20_000);
  report('kernel.sqlite.mutations_per_s.1', one, 'tx/s', 'higher', floors.sqliteCommitsPerS);
  report('kernel.sqlite.mutations_per_s.64', many, 'tx/s', 'higher', floors.sqliteCommitsPerS);
  report('kernel.sqlite.group_commit_gain.64', many / one, 'x', 'higher', null, '>= 5');
  report(
    'journal.append_per_s',
    await appends(database, short ? 5_000 : 40_000),
    'events/s',
    'higher',
    floors.hashesPerS,
  );
  await database.close();
}

/** The same on PostgreSQL, and fenced claim and completion by 16 clients beside the same two statements raw. */
export async function benchPostgres(url: string, short: boolean): Promise<void> {
  const database = await openDatabase({ url, migrations, connections: 20 });
  const floor = await rawPostgres(url, 1, short ? 300 : 1_500);
  report(
    'kernel.postgres.mutations_per_s.1',
    await mutations(database, 1, short ? 300 : 1_500),
    'tx/s',
    'higher',
    floor.perS,
  );
  report(
    'kernel.postgres.mutations_per_s.64',
    await mutations(database, 64, short ? 1_000 : 6_000),
    'tx/s',
    'higher',
    floor.perS,
  );
  const n = short ? 800 : 4_000;
  const raw = await rawPostgres(url, 16, n);
  const claims = await claimAndComplete(database, n);
  report(
    'kernel.postgres.claim_complete_per_s.16',
    claims.perS,
    'pairs/s',
    'higher',
    raw.perS / 2,
    '>= 0.9x of the floor',
  );
  report(
    'kernel.postgres.claim_p99_ms.16',
    percentile(claims.claimMs, 0.99),
    'ms',
    'lower',
    percentile(raw.ms, 0.99),
    '< 10',
  );
  await database.close();
}

async function mutations(database: Database, callers: number, total: number): Promise<number> {
  let left = total;
  let n = 0;
  const salt = `${callers}-${Date.now()}`;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (left-- > 0) {
        const id = `${salt}-${n++}`;
        await database.write((tx) => tx.sql.run('INSERT INTO bench (id, n) VALUES (?, ?)', [id, tx.now]));
      }
    }),
  );
  return (total / (performance.now() - start)) * 1_000;
}

async function appends(database: Database, total: number): Promise<number> {
  const start = performance.now();
  for (let at = 0; at < total; at += 500) {
    await database.write(async (tx) => {
      for (let i = 0; i < 500; i++)
        await tx.journal.append('run:bench', 'item.skipped', { item: `i${at + i}`, because: 'bench' });
    });
  }
  return (total / (performance.now() - start)) * 1_000;
}

/** 16 workers of one process, each claiming and completing durable jobs over and over. */
async function claimAndComplete(
  database: Database,
  total: number,
): Promise<{ readonly perS: number; readonly claimMs: number[] }> {
  for (let at = 0; at < total; at += 200) {
    await database.write(async (tx) => {
      for (let i = at; i < Math.min(total, at + 200); i++) await tx.jobs.enqueue('bench', { i });
    });
  }
  const desk = new JobDesk({ database, kinds: ['bench'], owner: 'bench', leaseMs: 30_000 });
  const claimMs: number[] = [];
  const start = performance.now();
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (;;) {
        const began = performance.now();
        const claim = await desk.claim();
        if (claim === null) return;
        claimMs.push(performance.now() - began);
        await desk.complete(claim);
      }
    }),
  );
  return { perS: (claimMs.length / (performance.now() - start)) * 1_000, claimMs };
}

/** One-row autocommit updates by plain clients on rows of their own: what the server itself can do. */
async function rawPostgres(
  url: string,
  clients: number,
  total: number,
): Promise<{ readonly perS: number; readonly ms: number[] }> {
  const pool = new Pool({ connectionString: url, max: clients });
  await pool.query('CREATE TABLE IF NOT EXISTS bench_raw (id INTEGER PRIMARY KEY, n BIGINT NOT NULL)');
  await pool.query('INSERT INTO bench_raw SELECT g, 0 FROM generate_series(0, 63) g ON CONFLICT DO NOTHING');
  const ms: number[] = [];
  let left = total;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async (_, i) => {
      while (left-- > 0) {
        const began = performance.now();
        await pool.query({ name: 'raw', text: 'UPDATE bench_raw SET n = n + 1 WHERE id = $1', values: [i] });
        ms.push(performance.now() - began);
      }
    }),
  );
  const perS = (total / (performance.now() - start)) * 1_000;
  await pool.end();
  return { perS, ms };
}
