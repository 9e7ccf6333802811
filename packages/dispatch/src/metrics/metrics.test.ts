import {
  callerOf,
  cancelRun,
  decideRequest,
  getMetrics,
  listRequests,
  prometheusText,
  setQueue,
  submitPlan,
} from '@palisade/contracts';
import type { Database } from '@palisade/kernel';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import {
  command,
  done,
  engineStarter,
  failed,
  LOST,
  migrations as engineMigrations,
  ScriptedExecutor,
} from '../../test/engine-rig.ts';
import { parsePrometheus } from '../../test/parse-prometheus.ts';
import { recountEvents, toldCounts } from '../../test/recount-events.ts';
import { retireAndRemove } from '../housekeeping/retire-runs.ts';
import { countEvents, metricMigrations, metricOperations } from '../index.ts';

const migrations = [...engineMigrations, ...metricMigrations];
const counting = { migrations, onEvents: countEvents };

const told = async (database: Database) =>
  (await callerOf(metricOperations(database)).call(getMetrics, {})).data;
const value = async (database: Database, name: string) =>
  (await told(database))
    .flatMap(({ samples }) => samples)
    .filter((sample) => sample.name === name)
    .map(({ labels, value: figure }) => [
      ...Object.entries(labels).flatMap(([name, text]) => (name === 'project' ? [] : [text])),
      figure,
    ]);

async function recount(database: Database): Promise<Record<string, number>> {
  return database.read(async (tx) => {
    const streams = await tx.sql.all<{ stream: string }>('SELECT stream FROM kernel_streams');
    const events = [];
    for (const { stream } of streams) events.push(...(await tx.journal.read(stream, -1, 100_000)));
    return recountEvents(events);
  });
}

/** Every way an attempt can end, by what its item is called. */
const ENDS = {
  good: () => done(),
  bad: () => failed(),
  shaky: (attempt: number) => (attempt === 1 ? failed() : done()),
  late: () => failed({ outcome: 'timed_out', code: 'timed_out', retryable: false }),
  lost: (attempt: number) => (attempt === 1 ? LOST : done()),
} as const;
const KINDS = Object.keys(ENDS) as (keyof typeof ENDS)[];

const behave = async ({ itemId, attempt }: { itemId: string; attempt: number }) => {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
  return ENDS[itemId.split('-')[0] as keyof typeof ENDS](attempt);
};
const plan = (n: number) => ({
  items: [
    ...Array.from({ length: n }, (_, i) =>
      command(`${KINDS[i % KINDS.length]}-${i}`, { retry: { backoff_ms: 0 } }),
    ),
    command('good-behind', { depends_on: ['bad-1'] }),
    command('good-last', { depends_on: ['good-behind'] }),
  ],
});

eachDatabase('figures for machines', (open) => {
  const start = engineStarter(open);

  it('DI-180 DI-179: two engines and one that dies count every event once, as a recount of all events finds', {
    timeout: 240_000,
  }, async () => {
    const [one, two] = [await open(counting), await open(counting)];
    const dying = new ScriptedExecutor(() => undefined);
    const dead = await start(dying, { database: await open(counting) });
    await dead.ops.call(submitPlan, { run_id: 'taken-over', plan: plan(10) });
    await expect.poll(() => dying.open.size, { timeout: 20_000 }).toBeGreaterThan(5);
    // It leaves what it started open, as a process that was killed does.
    await dead.engine.stop();
    const rigs = [];
    for (const database of [one, two])
      rigs.push(await start(new ScriptedExecutor(behave), { database, concurrency: 16 }));
    const ends = [];
    for (let i = 0; i < 4; i++) {
      await rigs[i % 2]?.ops.call(submitPlan, { run_id: `r${i}`, plan: plan(10) });
      ends.push(Promise.race(rigs.map((each) => each.ended(`r${i}`))));
    }
    await Promise.all([...ends, Promise.race(rigs.map((each) => each.ended('taken-over')))]);
    const expected = await recount(one);
    expect(toldCounts(await told(two))).toEqual(expected);
    // A recount of nothing would prove nothing.
    expect(expected).toMatchObject({
      'palisade_runs_completed_total{failed}': 5,
      palisade_items_skipped_total: 10,
      palisade_dispatch_deadline_exceeded_total: 10,
    });
    expect(expected['palisade_dispatch_completed_total{lost}']).toBeGreaterThan(9);
    expect(expected['palisade_items_retried_total']).toBeGreaterThan(20);
  });

  it('DI-180: a unit of work that is undone counts nothing, and one that is tried again counts once', async () => {
    const database = await open(counting);
    const append = (run: string, seal: boolean) =>
      database.write(async (tx) => {
        await tx.journal.append(`run:${run}`, 'item.skipped', { item: 'a', because: 'b' });
        if (!seal) throw new Error('undone');
      });
    await expect(append('x', false)).rejects.toThrow('undone');
    await Promise.all(Array.from({ length: 40 }, (_, i) => append(`r${i}`, true)));
    expect(await value(database, 'palisade_items_skipped_total')).toEqual([[40]]);
  });

  it('DI-180: counters go on when the runs they counted are removed', async () => {
    const database = await open(counting);
    const rig = await start(new ScriptedExecutor(behave), { database });
    await rig.ops.call(submitPlan, { run_id: 'r', plan: plan(10) });
    await rig.ended('r');
    await rig.stop();
    const before = toldCounts(await told(database));
    await database.write((tx) => tx.sql.run('UPDATE runs SET sealed_at = finished_at WHERE id = ?', ['r']));
    expect(await retireAndRemove(database, Number.MAX_SAFE_INTEGER, AbortSignal.timeout(10_000))).toBe(1);
    expect(Object.keys(await recount(database))).not.toContain('palisade_dispatch_started_total');
    expect(toldCounts(await told(database))).toEqual(before);
  });

  it('DI-180 DI-192: an approval is not counted as work', async () => {
    const database = await open(counting);
    const blobs = { put: async () => ({ hash: '', size: 0 }) } as never;
    const rig = await start(new ScriptedExecutor(), { database, deps: { blobs } });
    const asking = { id: 'ok', executor: 'approval', approval: { prompt: 'go on?' } };
    for (const run_id of ['yes', 'withdrawn'])
      await rig.ops.call(submitPlan, {
        run_id,
        plan: { items: [asking, command('b', { depends_on: ['ok'] })] },
      });
    await expect
      .poll(async () => (await rig.ops.call(listRequests, {})).data, { timeout: 20_000 })
      .toHaveLength(2);
    const { data } = await rig.ops.call(listRequests, { run: 'yes' });
    await rig.ops.call(
      decideRequest,
      { run: 'yes', item: 'ok', decision: 'approve', hash: data[0]?.hash ?? '' },
      { actor: 'human:bob' },
    );
    await rig.ops.call(cancelRun, { run: 'withdrawn' });
    await Promise.all([rig.ended('yes'), rig.ended('withdrawn')]);
    expect(await value(database, 'palisade_dispatch_started_total')).toEqual([[1]]);
    expect(await value(database, 'palisade_dispatch_duration_seconds_count')).toEqual([[1]]);
    expect(toldCounts(await told(database))).toEqual(await recount(database));
  });

  it('DI-180: what waits and what runs is told for each queue, also for an empty one, and what is not sealed', async () => {
    const database = await open(counting);
    const executor = new ScriptedExecutor(({ rootRunId }) => (rootRunId === 'over' ? done() : undefined));
    const rig = await start(executor, { database });
    await rig.ops.call(setQueue, { name: 'narrow', concurrency: 2 });
    await rig.ops.call(submitPlan, { run_id: 'over', plan: { items: [command('a')] } });
    await rig.ended('over');
    const items = ['a', 'b', 'c', 'd', 'e'].map((id) => command(id));
    await rig.ops.call(submitPlan, { run_id: 'r', plan: { queue: 'narrow', items } });
    await expect.poll(() => executor.open.size, { timeout: 20_000 }).toBe(2);
    expect(await value(database, 'palisade_queue_depth')).toEqual([
      ['default', 0],
      ['narrow', 3],
    ]);
    expect(await value(database, 'palisade_running')).toEqual([
      ['default', 0],
      ['narrow', 2],
    ]);
    expect(await value(database, 'palisade_audit_unsealed_runs')).toEqual([[1]]);
  });

  it('DI-180: the text is strictly the format 0.0.4, says 0 of what never happened and names no id', async () => {
    const database = await open(counting);
    const fresh = parsePrometheus(prometheusText(await told(database)));
    expect(fresh.get('palisade_dispatch_completed_total')).toHaveLength(6);
    // Clocks hardly ever agree to the microsecond.
    fresh.delete('palisade_db_clock_skew_seconds');
    expect([...fresh.values()].flat().every(({ value: figure }) => figure === 0)).toBe(true);
    const rig = await start(new ScriptedExecutor(behave), { database });
    await rig.ops.call(submitPlan, { run_id: 'a-run-with-a-name', plan: plan(10) });
    await rig.ended('a-run-with-a-name');
    const families = await told(database);
    const text = prometheusText(families);
    expect([...parsePrometheus(text).values()].flat()).toEqual(families.flatMap(({ samples }) => samples));
    expect(text).not.toMatch(/a-run|good-|run_/);
  });
});

it('DI-180: what stands in a help text or a label cannot end its line', () => {
  const samples = [{ name: 'x', labels: { a: 'q"\\\nz' }, value: 1.5 }];
  const text = prometheusText([{ name: 'x', type: 'gauge', help: 'a\\b\nc', samples }]);
  expect(text).toBe('# HELP x a\\\\b\\nc\n# TYPE x gauge\nx{a="q\\"\\\\\\nz"} 1.5\n');
  expect(parsePrometheus(text).get('x')).toEqual(samples);
});
