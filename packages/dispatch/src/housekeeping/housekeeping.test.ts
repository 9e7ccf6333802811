import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  canonicalBytes,
  collectStorage,
  type ContentHash,
  callerOf,
  getRun,
  listRuns,
  type OperationCaller,
  submitPlan,
} from '@palisade/contracts';
import {
  type Database,
  fileBlobStore,
  MasterKey,
  registerRevision,
  revisionMigrations,
  secretMigrations,
  secretStore,
} from '@palisade/kernel';
import { eachDatabase } from '@palisade/kernel/testing';
import { findRootRun, markSealed, sealMigrations } from '@palisade/runs';
import { expect, it, onTestFinished } from 'vitest';
import {
  command,
  done,
  engineStarter,
  failed,
  migrations as engineMigrations,
  ScriptedExecutor,
} from '../../test/engine-rig.ts';
import { housekeeping, housekeepingMigrations, type HousekeepingDeps } from '../index.ts';

const DAY = 86_400_000;
const migrations = [
  ...revisionMigrations,
  ...secretMigrations,
  ...engineMigrations,
  ...sealMigrations,
  ...housekeepingMigrations,
];

/** A store whose blobs are as old as a test wants, and housekeeping over it. */
async function storage(database: Database, options: Partial<HousekeepingDeps> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'palisade-housekeeping-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const blobs = fileBlobStore(directory);
  const secrets = secretStore({ database, masterKey: new MasterKey(Buffer.alloc(32, 7)) });
  const keeper = housekeeping({
    database,
    blobs,
    secrets,
    retentionMs: null,
    idleSessions: { count: async () => 0, close: async () => 0 },
    sweepAttempts: async () => 0,
    owner: 'test',
    ttlMs: 30_000,
    ...options,
  });
  const put = async (text: string, ageDays = 3): Promise<ContentHash> => {
    const { hash } = await blobs.put(Buffer.from(text));
    const then = new Date(Date.now() - ageDays * DAY);
    await utimes(await blobs.path(hash), then, then);
    return hash;
  };
  const all = async () => (await blobs.list({ limit: 1_000 })).hashes;
  return { blobs, secrets, keeper, caller: callerOf(keeper.operations), put, all };
}

const collect = (caller: OperationCaller, dryRun = false) => caller.call(collectStorage, { dry_run: dryRun });
const count = async (database: Database, sql: string): Promise<number> =>
  (await database.read((tx) => tx.sql.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${sql}`)))?.n ?? -1;

eachDatabase('housekeeping', (open) => {
  const start = engineStarter(open);

  it('DI-030 DI-082: what a kept run, any of its attempts, a listing of outputs or the registry refers to stays, and what is young', async () => {
    const database = await open({ migrations });
    const { caller, put, all } = await storage(database);
    const refs = new Map<string, ContentHash>();
    const kept = async (text: string) => {
      const hash = await put(text);
      refs.set(text, hash);
      return hash;
    };
    const hidden = await kept('an output only the listing names');
    const listing = canonicalBytes([{ path: 'x', ref: hidden, size: 1 }]).toString();
    const product = {
      result_ref: await kept('patch'),
      conflicts_ref: await kept('conflicts'),
      log_ref: await kept('log'),
      outputs: [
        { path: 'report.txt', ref: await kept('output'), size: 6 },
        { path: 'outputs-1.json', ref: await kept(listing), size: listing.length },
      ],
    };
    const firstTry = { log_ref: await kept('log of the attempt that failed') };
    const executor = new ScriptedExecutor((intent) =>
      intent.attempt === 1 ? failed({ product: firstTry }) : done({ product }),
    );
    const rig = await start(executor, { database });
    await rig.ops.call(submitPlan, {
      run_id: 'r',
      plan: {
        items: [
          command('a', {
            inputs: { inputRefs: { data: await kept('input of the plan') } },
            retry: { backoff_ms: 0 },
          }),
        ],
      },
    });
    expect(await rig.ended('r')).toBe('completed');
    for (const kind of ['agent', 'capability', 'env']) {
      for (const text of [`${kind} once`, `${kind} now`]) {
        const hash = await kept(text);
        await database.write((tx) => registerRevision(tx, { project: 'default', kind, name: 'x', hash }));
      }
    }
    const young = await put('nobody knows it yet', 0);
    const [gone, alsoGone] = [await put('abandoned'), await put('abandoned as well')];
    const before = await all();
    const foreseen = await collect(caller, true);
    expect(foreseen).toMatchObject({
      dry_run: true,
      blobs: { removed: 2, bytes: 9 + 17, kept: refs.size + 1 },
    });
    expect(await all()).toEqual(before);
    expect(await collect(caller)).toEqual({ ...foreseen, dry_run: false });
    expect(await all()).toEqual(before.filter((hash) => hash !== gone && hash !== alsoGone));
    expect(await all()).toContain(young);
    expect(await collect(caller)).toMatchObject({ blobs: { removed: 0 } });
  });

  it('DI-082 DI-080: a run whose retention is over is as if it had never been, except for its id; others stay', async () => {
    let now = Date.now() - 100 * DAY;
    const database = await open({ migrations, wallClock: () => now });
    const { caller, put, all } = await storage(database, { retentionMs: 30 * DAY });
    const [shared, own] = [await put('shared'), await put('own')];
    const executor = new ScriptedExecutor(({ rootRunId }) =>
      done({ product: { result_ref: shared, ...(rootRunId === 'old' ? { log_ref: own } : {}) } }),
    );
    const rig = await start(executor, { database, leaseMs: 3_600_000 });
    const submit = async (run_id: string, id = 'a') => {
      const items = [command(id), command('b')];
      await rig.ops.call(submitPlan, { run_id, plan: { items } });
      await rig.ended(run_id);
    };
    await submit('old');
    await submit('old-same-plan');
    await submit('not-sealed', 'c');
    await database.write(async (tx) => {
      await markSealed(tx, 'old');
      await markSealed(tx, 'old-same-plan');
    });
    now += 15 * DAY;
    await submit('young');
    await database.write((tx) => markSealed(tx, 'young'));
    now += 15 * DAY - 1;
    expect(await collect(caller, true)).toMatchObject({ runs: 0, runs_before: now - 30 * DAY });
    expect(await collect(caller)).toMatchObject({ runs: 0 });
    now += 1;
    const documents = await count(database, 'documents');
    const foreseen = await collect(caller, true);
    expect(foreseen).toMatchObject({ runs: 2, blobs: { removed: 1 } });
    expect(await collect(caller)).toEqual({ ...foreseen, dry_run: false });

    // As unknown as one that never was.
    const never = await rig.ops.call(getRun, { run: 'nev' }).catch((error: unknown) => error);
    const gone = await rig.ops.call(getRun, { run: 'old' }).catch((error: unknown) => error);
    expect(String(gone)).toBe(String(never).replace('nev', 'old'));
    expect((await rig.ops.call(listRuns, {})).data.map((run) => run.id).toSorted()).toEqual([
      'not-sealed',
      'young',
    ]);
    await expect(
      rig.ops.call(submitPlan, { run_id: 'old', plan: { items: [command('a'), command('b')] } }),
    ).rejects.toMatchObject({
      code: 'already_exists',
      message: expect.stringContaining('not kept any more'),
    });
    // Two plans and four manifests of attempts; `young` keeps its own copy of the same plan.
    expect(await count(database, 'documents')).toBe(documents - 6);
    for (const rows of [
      "documents WHERE run_id LIKE 'old%'",
      "kernel_events WHERE stream LIKE 'run:old%'",
      "kernel_streams WHERE stream LIKE 'run:old%'",
      "plan_items WHERE run_id LIKE 'old%'",
      "runs WHERE parent_run_id LIKE 'old%'",
      "product_refs WHERE run_id LIKE 'old%'",
    ])
      expect(await count(database, rows), rows).toBe(0);
    expect(await all()).toEqual([shared]);
    const run = await rig.ops.call(getRun, { run: 'young' });
    expect(run.items.map((item) => item.product?.result_ref)).toEqual([shared, shared]);
    expect(await database.read((tx) => findRootRun(tx, 'not-sealed'))).toBeDefined();
    expect(await collect(caller)).toMatchObject({ runs: 0, blobs: { removed: 0 } });
  });

  it('DI-030: a product that is stored and not committed yet is kept, however long its owner stands still', async () => {
    const database = await open({ migrations });
    const { caller, put, all } = await storage(database);
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(executor, { database });
    await rig.ops.call(submitPlan, { run_id: 'r', plan: { items: [command('a')] } });
    await expect.poll(() => executor.open.has('a#1')).toBe(true);
    // The attempt began long ago, stored its product two days ago, and the machine slept since.
    const began = Date.now() - 4 * DAY;
    await database.write((tx) =>
      tx.sql.run("UPDATE runs SET started_at = ? WHERE parent_run_id = 'r'", [began]),
    );
    const product = await put('stored, not committed', 2);
    await put('older than any attempt under way', 5);
    expect(await collect(caller)).toMatchObject({ blobs: { removed: 1, kept: 1 } });
    expect(await all()).toEqual([product]);
    executor.open.get('a#1')?.end(done({ product: { result_ref: product } }));
    expect(await rig.ended('r')).toBe('completed');
    expect(await collect(caller)).toMatchObject({ blobs: { removed: 0, kept: 1 } });
  });

  it('DI-030: nothing is removed while a listing is damaged, because nobody knows what it names', async () => {
    const database = await open({ migrations });
    const { caller, put, blobs, all } = await storage(database);
    const listing = await put('[]');
    const rig = await start(
      new ScriptedExecutor(() =>
        done({ product: { outputs: [{ path: 'outputs.json', ref: listing, size: 2 }] } }),
      ),
      { database },
    );
    await rig.ops.call(submitPlan, { run_id: 'r', plan: { items: [command('a')] } });
    await rig.ended('r');
    const orphan = await put('maybe named there');
    await blobs.remove(listing);
    expect(await collect(caller, true)).toMatchObject({ blobs: { removed: 1 } });
    const hex = listing.slice(7);
    const folder = join(fileURLToPath(blobs.rootUri), hex.slice(0, 2), hex.slice(2, 4));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, hex), 'x]');
    await expect(collect(caller)).rejects.toMatchObject({ code: 'integrity_mismatch' });
    expect(await all()).toContain(orphan);
  });

  it('DI-082: a plan may let its run go sooner than the operator does, and never asks for longer', async () => {
    let now = Date.now() - 100 * DAY;
    const database = await open({ migrations, wallClock: () => now });
    const { caller } = await storage(database);
    const rig = await start(new ScriptedExecutor(), {
      database,
      leaseMs: 3_600_000,
      deps: { retentionMs: 30 * DAY },
    });
    const items = [command('a')];
    await expect(rig.ops.call(submitPlan, { plan: { retention_days: 31, items } })).rejects.toMatchObject({
      code: 'invalid_plan',
      issues: [{ path: 'retention_days' }],
    });
    for (const [run_id, more] of [
      ['brief', { retention_days: 2 }],
      ['kept', {}],
    ] as const) {
      await rig.ops.call(submitPlan, { run_id, plan: { ...more, items } });
      await rig.ended(run_id);
      await database.write((tx) => markSealed(tx, run_id));
    }
    const ids = async () => (await rig.ops.call(listRuns, {})).data.map(({ id }) => id);
    now += 2 * DAY - 60_000;
    expect(await collect(caller)).toMatchObject({ runs: 0 });
    now += 120_000;
    expect(await collect(caller, true)).toMatchObject({ runs: 1 });
    expect(await ids()).toEqual(['kept', 'brief']);
    expect(await collect(caller)).toMatchObject({ runs: 1 });
    expect(await ids()).toEqual(['kept']);
    // The operator's own setting, also when it was made later, holds for every run.
    const strict = await storage(database, { retentionMs: DAY });
    expect(await collect(strict.caller)).toMatchObject({ runs: 1 });
  });

  it('DI-047: expired secrets and answers older than thirty days are forgotten, the keys of the answers are not', async () => {
    let now = Date.now() - 100 * DAY;
    const database = await open({ migrations, wallClock: () => now });
    const { caller, secrets } = await storage(database);
    const rig = await start(new ScriptedExecutor(), { database, leaseMs: 3_600_000 });
    const plan = { items: [command('a')] };
    const first = await rig.ops.call(submitPlan, { plan }, { idempotencyKey: 'k' });
    await secrets.put('brief', 'value', { ttlMs: DAY });
    await secrets.put('lasting', 'value');
    now += 30 * DAY;
    const due = { receipts: 0, secrets: 1 };
    expect(await collect(caller, true)).toMatchObject(due);
    expect(await collect(caller)).toMatchObject(due);
    expect(await rig.ops.call(submitPlan, { plan }, { idempotencyKey: 'k' })).toMatchObject({
      run_id: first.run_id,
    });
    now += 1;
    expect(await collect(caller, true)).toMatchObject({ receipts: 1, secrets: 0 });
    expect(await collect(caller)).toMatchObject({ receipts: 1, secrets: 0 });
    await expect(rig.ops.call(submitPlan, { plan }, { idempotencyKey: 'k' })).rejects.toMatchObject({
      code: 'idempotency_result_expired',
    });
    await expect(secrets.resolve(['secret:brief'])).rejects.toMatchObject({ code: 'secret_expired' });
    expect(await secrets.resolve(['secret:lasting'])).toEqual(['value']);
  });

  it('FF-084: what is due is removed in small units of work, and twenty runs and other callers go on between them', async () => {
    let now = Date.now() - 100 * DAY;
    const database = await open({ migrations, wallClock: () => now });
    // Rows changed by each unit of work of housekeeping.
    const units: number[] = [];
    const observed: Database = {
      ...methodsOf(database),
      write: (body) =>
        database.write(async (tx) => {
          const change = { rows: 0 };
          const value = await body(counting(tx, change));
          units.push(change.rows);
          return value;
        }),
    };
    const { caller } = await storage(database, { database: observed, retentionMs: 30 * DAY });
    const rig = await start(new ScriptedExecutor(), { database, leaseMs: 3_600_000, concurrency: 32 });
    const items = Array.from({ length: 450 }, (_, i) => command(`i${i}`));
    await rig.ops.call(submitPlan, { run_id: 'old', plan: { items } });
    await rig.ended('old');
    await database.write((tx) => markSealed(tx, 'old'));
    now += 31 * DAY;

    const collected = new AbortController();
    let written = 0;
    const writing = (async () => {
      while (!collected.signal.aborted) {
        await database.write((tx) => tx.receipts.once('test', String(written), {}, async () => 1));
        written++;
      }
    })();
    const runs = Array.from({ length: 20 }, (_, i) => `r${i}`);
    const running = Promise.all(
      runs.map(async (run_id) => {
        await rig.ops.call(submitPlan, { run_id, plan: { items: [command('a'), command('b')] } });
        return rig.ended(run_id);
      }),
    );
    expect(await collect(caller)).toMatchObject({ runs: 1 });
    collected.abort();
    await writing;
    expect(new Set(await running)).toEqual(new Set(['completed']));
    expect(rig.faults).toEqual([]);
    expect(Math.max(...units)).toBeLessThanOrEqual(301);
    // 901 events, 450 items, 450 attempts with their manifests: by hundreds.
    expect(units.filter((rows) => rows > 0).length).toBeGreaterThan(15);
    expect(written).toBeGreaterThan(15);
  });

  it('FF-084: a chore is due a day after it was done, is done by one process at a time, and soon again when it failed', async () => {
    const database = await open({ migrations });
    let isBroken = false;
    let sweeps = 0;
    let meanwhile: (() => Promise<void>) | undefined;
    const sweepAttempts = async () => {
      sweeps++;
      await meanwhile?.();
      if (isBroken) throw new Error('the disk is away');
      return 3;
    };
    const { keeper, caller } = await storage(database, { sweepAttempts });
    const round = () => keeper.round(new AbortController().signal);
    const due = async () =>
      (
        await database.read((tx) =>
          tx.sql.get<{ due_at: number }>("SELECT due_at FROM chores WHERE name LIKE 'store %'"),
        )
      )?.due_at ?? 0;
    const makeDue = () => database.write((tx) => tx.sql.run('UPDATE chores SET due_at = 0'));
    await round();
    expect(sweeps).toBe(0);
    expect(await due()).toBeGreaterThan(Date.now() + DAY - 600_000);
    await makeDue();
    const refused: unknown[] = [];
    meanwhile = async () => {
      meanwhile = undefined;
      // Another process at this moment: it neither does it again nor waits.
      await round();
      refused.push(await collect(caller).catch((error: unknown) => error));
    };
    await round();
    expect(sweeps).toBe(1);
    expect(refused).toEqual([expect.objectContaining({ code: 'lease_held' })]);
    expect(await due()).toBeGreaterThan(Date.now() + DAY - 600_000);
    await round();
    expect(sweeps).toBe(1);

    isBroken = true;
    await makeDue();
    await expect(round()).rejects.toThrow('the disk is away');
    expect(await due()).toBeGreaterThan(Date.now());
    expect(await due()).toBeLessThan(Date.now() + DAY / 2);
    isBroken = false;
    expect(await collect(caller)).toMatchObject({ attempts: 3 });

    // One that was told to stop stays due.
    await makeDue();
    const stopped = new AbortController();
    meanwhile = async () => stopped.abort();
    await keeper.round(stopped.signal).catch(() => undefined);
    expect(await due()).toBe(0);
  });
});

/** The methods of a database as an object that can be changed in part. */
function methodsOf(database: Database): Database {
  return {
    dialect: database.dialect,
    isReadOnly: database.isReadOnly,
    read: (body) => database.read(body),
    write: (body, options) => database.write(body, options),
    onForeignCommit: (listener) => database.onForeignCommit(listener),
    close: () => database.close(),
  };
}

function counting<T extends Parameters<Parameters<Database['write']>[0]>[0]>(
  tx: T,
  change: { rows: number },
): T {
  const sql = {
    all: tx.sql.all.bind(tx.sql),
    get: tx.sql.get.bind(tx.sql),
    run: async (text: string, params?: Parameters<T['sql']['run']>[1]) => {
      const rows = await tx.sql.run(text, params);
      change.rows += rows;
      return rows;
    },
  };
  return new Proxy(tx, {
    get: (target, name) => {
      if (name === 'sql') return sql;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
