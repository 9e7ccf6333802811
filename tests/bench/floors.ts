import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { percentile } from './report.ts';

/** What this machine can do at best right now: measured beside every run, because the machine is shared. */
export interface Floors {
  /** One-row transactions with synchronous=FULL in WAL, one after another. */
  readonly sqliteCommitsPerS: number;
  readonly sqliteCommitMs: number;
  /** SHA-256 over 256 bytes. */
  readonly hashesPerS: number;
  /** `true` from spawn to exit. */
  readonly spawnMs: number;
}

export async function measureFloors(directory: string): Promise<Floors> {
  const commits = rawCommits(join(directory, 'floor.db'), 1_000);
  return {
    sqliteCommitsPerS: 1_000 / percentile(commits, 0.5),
    sqliteCommitMs: percentile(commits, 0.5),
    hashesPerS: rawHashes(),
    spawnMs: percentile(await rawSpawns(20), 0.5),
  };
}

function rawCommits(path: string, n: number): number[] {
  const db = new DatabaseSync(path);
  db.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT)',
  );
  const insert = db.prepare('INSERT INTO t (body) VALUES (?)');
  const times: number[] = [];
  for (let i = 0; i < n; i++) {
    const start = performance.now();
    db.exec('BEGIN IMMEDIATE');
    insert.run(`row ${i}`);
    db.exec('COMMIT');
    times.push(performance.now() - start);
  }
  db.close();
  return times;
}

/** SHA-256 over 256 bytes, in a second. */
export function rawHashes(): number {
  const bytes = Buffer.alloc(256, 7);
  const start = performance.now();
  for (let i = 0; i < 50_000; i++) createHash('sha256').update(bytes).digest('hex');
  return (50_000 / (performance.now() - start)) * 1_000;
}

/** Milliseconds of a program that does nothing, each. */
export async function rawSpawns(n: number): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < n; i++) {
    const start = performance.now();
    await new Promise<void>((resolve, reject) => {
      const child = spawn('/bin/true', { stdio: 'ignore' });
      child.once('close', () => resolve());
      child.once('error', reject);
    });
    times.push(performance.now() - start);
  }
  return times;
}
