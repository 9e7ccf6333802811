import {
  exportEvidence,
  getTrustRoot,
  type OperationCaller,
  submitPlan,
  TrustRoot,
  callerOf,
} from '@palisade/contracts';
import {
  countEvents,
  Engine,
  metricMigrations,
  OWN_SHAPES,
  planMigrations,
  planOperations,
  putLimits,
} from '@palisade/dispatch';
import { ed25519Signer, generateEd25519, verifyBundle } from '@palisade/evidence';
import { type Database, fileNamedFiles, openDatabase } from '@palisade/kernel';
import { evidenceOperations, rememberKey, runMigrations, Sealer, sealMigrations } from '@palisade/runs';
import { join } from 'node:path';
import type { Floors } from './floors.ts';
import { noopExecutor } from './noop-executor.ts';
import { percentile, report } from './report.ts';

const noop = noopExecutor('local');

interface Rig {
  readonly database: Database;
  readonly ops: OperationCaller;
  readonly sealer: Sealer;
  run(plan: unknown): Promise<string>;
  close(): Promise<void>;
}

async function rigAt(url: string, directory: string): Promise<Rig> {
  const database = await openDatabase({
    url,
    migrations: [...runMigrations, ...planMigrations, ...sealMigrations, ...metricMigrations],
    onEvents: countEvents,
  });
  await database.write((tx) =>
    putLimits(tx, {
      project: 'default',
      name: 'default',
      concurrency: 256,
      rate: null,
      maxOpenRuns: null,
      maxPriority: null,
    }),
  );
  const onFault = (error: unknown): void => {
    process.exitCode = 1;
    console.error(error);
  };
  const signer = ed25519Signer(generateEd25519().privateKeyPkcs8Der);
  await database.write((tx) =>
    rememberKey(tx, { keyid: signer.keyid, alg: signer.alg, spkiDer: signer.publicKeySpkiDer }),
  );
  const unused = (): never => {
    throw new Error('no key is replaced in a benchmark');
  };
  const keys = { current: async () => signer, makeNext: unused, adoptNext: unused, dropNext: unused };
  const files = fileNamedFiles(join(directory, 'log'));
  const origin = 'bench.invalid/log';
  const sealer = new Sealer({ database, files, keys, origin, owner: 'bench', onFault });
  const ends = new Map<string, (state: string) => void>();
  const engine = new Engine({
    database,
    executors: new Map([[noop.name, noop]]),
    prepare: () => Promise.reject(new Error('a no-op attempt is not prepared')),
    onFault,
    onFinished: (runId, state) => {
      ends.get(runId)?.(state);
      ends.delete(runId);
      sealer.add(runId);
    },
  });
  const nobody = (): never => {
    throw new Error('no names in a benchmark');
  };
  const ops = callerOf([
    ...planOperations({
      database,
      blobs: {} as never,
      names: () => ({
        agent: nobody,
        capability: nobody,
        environment: nobody,
        modelEndpoint: nobody,
        pipeline: nobody,
      }),
      isActive: async () => true,
      executors: new Set(['local']),
      shapes: OWN_SHAPES,
      attemptsRoot: directory,
      resolveBase: nobody,
      isOffered: nobody,
      follow: nobody,
      chooseSandbox: async () => ({ name: 'process', isolation: 'unsandboxed-host', warnings: [] }),
      scanText: () => {},
      startRun: (tx, run, plan) => engine.startRun(tx, run, plan),
      notifications: { endpoints: async () => [], subscribe: async () => {} },
      onControl: () => {},
    }),
    ...evidenceOperations({
      database,
      files,
      origin,
      publish: () => sealer.publish(),
      seal: () => sealer.settle(),
      keys,
      whileUnpublished: (body) => sealer.whileUnpublished(body),
    }),
  ]);
  await engine.start();
  let n = 0;
  return {
    database,
    ops,
    sealer,
    async run(plan) {
      const run_id = `bench-${n++}`;
      const end = new Promise<string>((resolve) => ends.set(run_id, resolve));
      await ops.call(submitPlan, { plan, run_id });
      const state = await end;
      if (state !== 'completed') throw new Error(`${run_id} ended ${state}`);
      return run_id;
    },
    async close() {
      await engine.stop();
      await sealer.stop();
      await database.close();
    },
  };
}

const fan = (n: number) => ({
  items: Array.from({ length: n }, (_, i) => ({ id: `i${i}`, command: 'true' })),
});
const chain = (n: number) => ({
  items: Array.from({ length: n }, (_, i) => ({
    id: `i${i}`,
    command: 'true',
    ...(i === 0 ? {} : { depends_on: [`i${i - 1}`] }),
  })),
});

/** The plan engine with full durability and audit, and the evidence of a large run. */
export async function benchEngine(
  url: string,
  directory: string,
  floors: Floors,
  short: boolean,
): Promise<void> {
  const rig = await rigAt(url, directory);
  await rig.run(fan(50));
  const costs: number[] = [];
  let large = '';
  for (const n of short ? [100, 1_000] : [100, 1_000, 10_000]) {
    const rounds = n <= 100 ? 5 : 1;
    const start = performance.now();
    for (let i = 0; i < rounds; i++) large = await rig.run(fan(n));
    const ms = (performance.now() - start) / rounds;
    costs.push(ms / n);
    report(
      `engine.items_per_s.${n}`,
      (n / ms) * 1_000,
      'items/s',
      'higher',
      floors.sqliteCommitsPerS,
      n === 10_000 ? '>= 2000' : undefined,
    );
  }
  report('engine.item_cost_growth', (costs.at(-1) ?? 0) / (costs[0] ?? 1), 'x', 'lower', null, '<= 1.5');
  report('engine.peak_mb', process.memoryUsage.rss() / 1e6, 'MB', 'lower');
  await rig.sealer.idle();
  await benchEvidence(rig, large, floors);

  const links = short ? 200 : 1_000;
  const start = performance.now();
  await rig.run(chain(links));
  report(
    `engine.chain_items_per_s.${links}`,
    (links / (performance.now() - start)) * 1_000,
    'items/s',
    'higher',
    floors.sqliteCommitsPerS,
    '>= 1100',
  );

  const times: number[] = [];
  for (let i = 0; i < (short ? 100 : 400); i++) {
    const began = performance.now();
    await rig.run(chain(2));
    times.push(performance.now() - began);
  }
  report('run.two_step_p50_ms', percentile(times, 0.5), 'ms', 'lower', floors.sqliteCommitMs, '< 4');
  report('run.two_step_p99_ms', percentile(times, 0.99), 'ms', 'lower', floors.sqliteCommitMs);
  const total = short ? 500 : 3_000;
  let left = total;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: 40 }, async () => {
      while (left-- > 0) await rig.run(chain(2));
    }),
  );
  // Evidence is sealed beside running plans, and whatever is left of it after them.
  const ended = performance.now();
  await rig.sealer.settle();
  const perSecond = (until: number): number => (total / (until - began)) * 1_000;
  const floor = floors.sqliteCommitsPerS;
  report('run.two_step_per_s.40', perSecond(ended), 'runs/s', 'higher', floor, '>= 1000');
  report('run.two_step_sealed_per_s.40', perSecond(performance.now()), 'runs/s', 'higher', floor);
  await rig.close();
}

async function benchEvidence(rig: Rig, run: string, floors: Floors): Promise<void> {
  let start = performance.now();
  const bundle = await rig.ops.call(exportEvidence, { run });
  report('evidence.export_ms', performance.now() - start, 'ms', 'lower');
  const { trust_root } = await rig.ops.call(getTrustRoot, {});
  const trustRoot = TrustRoot.parse(trust_root);
  start = performance.now();
  const verdict = verifyBundle(bundle, trustRoot);
  const seconds = (performance.now() - start) / 1_000;
  if (!verdict.intact)
    throw new Error(`the benchmark's own evidence does not verify: ${JSON.stringify(verdict.checks)}`);
  report(
    'evidence.verify_entries_per_s',
    bundle.entries.length / seconds,
    'entries/s',
    'higher',
    floors.hashesPerS,
    '>= 20000',
  );
}
