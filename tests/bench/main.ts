import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresServer } from '../support/postgres.ts';
import { benchAgents } from './agent-bench.ts';
import { benchCli } from './cli-bench.ts';
import { benchEngine } from './engine-bench.ts';
import { measureFloors } from './floors.ts';
import { benchPostgres, benchSqlite } from './kernel-bench.ts';
import { benchProcesses } from './process-bench.ts';
import { benchServe } from './serve-bench.ts';
import { benchSubprocesses } from './subprocess-bench.ts';
import { benchVerify } from './verify-bench.ts';
import { benchWatch } from './watch-bench.ts';
import { header, report, skip, writeJson } from './report.ts';

/*
 * `npm run bench [-- --short] [-- --json FILE]`: the product's figures beside the machine's own, measured
 * in the same run. The machine may be shared, so ratios say more than figures; nothing here fails a build.
 */
const args = process.argv.slice(2);
const short = args.includes('--short');
const json = args.includes('--json') ? args[args.indexOf('--json') + 1] : undefined;
const directory = mkdtempSync(join(tmpdir(), 'palisade-bench-'));
try {
  const floors = await measureFloors(directory);
  header();
  report('floor.sqlite_commits_per_s', floors.sqliteCommitsPerS, 'tx/s', 'higher');
  report('floor.sha256_per_s', floors.hashesPerS, 'hash/s', 'higher');
  report('floor.spawn_ms', floors.spawnMs, 'ms', 'lower');
  await benchSqlite(join(directory, 'kernel.db'), floors, short);
  await benchVerify(short);
  await benchEngine(join(directory, 'engine.db'), directory, floors, short);
  await benchWatch(directory, short);
  await benchServe(directory, floors, short);
  await benchProcesses(directory, short);
  await benchCli(directory, short);
  if (args.includes('--agents') || !short) {
    await benchSubprocesses(short);
    await benchAgents(directory, short);
  }
  const postgres = await PostgresServer.create();
  if (postgres === null) skip('kernel.postgres.*', 'this machine has no PostgreSQL');
  else {
    try {
      await benchPostgres(postgres.url, short);
    } finally {
      await postgres.remove();
    }
  }
  if (json !== undefined) writeJson(json);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
