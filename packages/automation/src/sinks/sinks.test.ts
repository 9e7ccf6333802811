import { callerOf, forgetSink, type JournalEvent, PalisadeError } from '@palisade/contracts';
import type { Database, WriteTx } from '@palisade/kernel';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it, onTestFinished } from 'vitest';
import { offerResults, ResultSinks, sinkMigrations, sinkOperations, type SinkPort } from '../index.ts';

/** The machine may be busy with others. */
const PATIENT = { timeout: 20_000 };
/** Runs whose ids begin with another project's key are that project's. */
const counting = {
  migrations: [...sinkMigrations],
  onEvents: (tx: WriteTx, events: readonly JournalEvent[]) =>
    offerResults(tx, events, async (_, run) => (run.startsWith('shop~') ? 'shop' : 'default')),
};

/** Ends runs, as their owner does. */
const end = (database: Database, ...runs: readonly string[]) =>
  database.write(async (tx) => {
    for (const run of runs)
      await tx.journal.append(`run:${run}`, 'run.completed', { run, status: 'completed', counts: {} });
  });

/** A sink that keeps what it was given; `take` says what becomes of it. Runs called `gone` are not kept any more. */
function sinkOf(name: string, take: (run: string) => unknown = () => {}) {
  const got: string[] = [];
  const port: SinkPort<string> = {
    name,
    load: async (run) => (run === 'gone' ? null : run),
    collect: async (run) => {
      got.push(run);
      await take(run);
    },
  };
  return { got, port };
}

const waiting = (database: Database) => database.read((tx) => tx.sql.all('SELECT run_id FROM result_outbox'));

eachDatabase('result sinks', (open) => {
  const faults: string[] = [];
  async function serve(
    database: Database,
    ports: readonly SinkPort<string>[],
    leaseMs = 500,
    aheadMs = 0,
    project?: string,
  ) {
    const onFault = (error: unknown, about: string) => faults.push(`${about}: ${(error as Error).message}`);
    const wallClock = () => Date.now() + aheadMs;
    const sinks = await ResultSinks.start({ database, sinks: ports, project, onFault, leaseMs, wallClock });
    onTestFinished(() => sinks.close(100));
    return sinks;
  }

  it('DI-085: every run that ends is given to every sink, also one that ended while nobody was there', async () => {
    const database = await open(counting);
    await end(database, 'before-anybody');
    const first = sinkOf('billing');
    await (await serve(database, [first.port])).close();
    await end(database, 'while-away');
    const [again, other] = [sinkOf('billing'), sinkOf('other')];
    await serve(database, [again.port, other.port]);
    await end(database, 'now');
    await expect.poll(() => again.got, PATIENT).toEqual(['while-away', 'now']);
    await expect.poll(() => other.got, PATIENT).toEqual(['now']);
    expect(first.got).toEqual([]);
  });

  it('AC-005 DI-085: a sink is given the runs of its own project, whatever others call theirs', async () => {
    const database = await open(counting);
    const [own, theirs] = [sinkOf('billing'), sinkOf('billing')];
    await serve(database, [own.port]);
    await serve(database, [theirs.port], 500, 0, 'shop');
    await end(database, 'r', 'shop~r');
    await expect.poll(() => theirs.got, PATIENT).toEqual(['shop~r']);
    await expect.poll(() => own.got, PATIENT).toEqual(['r']);
    const ops = callerOf(sinkOperations(database));
    expect(await ops.call(forgetSink, { name: 'billing' }, { project: 'shop' })).toMatchObject({
      removed: true,
    });
    await end(database, 's', 'shop~s');
    await expect.poll(() => own.got, PATIENT).toEqual(['r', 's']);
    expect(theirs.got).toEqual(['shop~r']);
  });

  it('DI-085: closing waits for what has just ended, and not for a sink that hangs', async () => {
    const database = await open(counting);
    const [good, stuck] = [sinkOf('good'), sinkOf('stuck', () => new Promise(() => {}))];
    const sinks = await serve(database, [stuck.port, good.port]);
    await end(database, 'q');
    await expect.poll(() => stuck.got, PATIENT).toEqual(['q']);
    await end(database, 'r');
    const began = performance.now();
    await sinks.close(300);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(good.got).toEqual(['q', 'r']);
    // What it did not take is given to its name again.
    const later = sinkOf('stuck');
    await serve(database, [later.port]);
    await expect.poll(() => later.got.toSorted(), PATIENT).toEqual(['q', 'r']);
  });

  it('DI-085: a sink that throws gets it again later, and keeps nothing from the others', async () => {
    const database = await open(counting);
    let isBroken = true;
    const broken = sinkOf('broken', (run) => {
      if (isBroken && run === 'a') throw new Error('no room');
    });
    const good = sinkOf('good');
    await serve(database, [broken.port, good.port]);
    await end(database, 'a', 'b');
    await expect.poll(() => good.got, PATIENT).toEqual(['a', 'b']);
    await expect.poll(() => broken.got.slice(0, 2), PATIENT).toEqual(['a', 'b']);
    isBroken = false;
    await expect.poll(() => broken.got.at(-1), PATIENT).toBe('a');
    expect(faults).toContain('sink broken: no room');
  });

  it('DI-085: two processes with one sink share its runs, and each is given once when nobody dies', async () => {
    const [one, two] = [await open(counting), await open(counting)];
    const runs = Array.from({ length: 20 }, (_, i) => `r${String(i).padStart(2, '0')}`);
    const slowly = () => new Promise((resolve) => setTimeout(resolve, 5));
    const sinks = [sinkOf('shared', slowly), sinkOf('shared', slowly)];
    await serve(one, [sinks[0]?.port ?? sinkOf('x').port], 30_000);
    await serve(two, [sinks[1]?.port ?? sinkOf('x').port], 30_000);
    await end(one, ...runs);
    const given = () => sinks.flatMap(({ got }) => got).toSorted();
    await expect.poll(given, PATIENT).toEqual(runs);
  });

  it('DI-085: a run is with one process for as long as its sink works, and with the next one when that process gives it up', async () => {
    const [one, two] = [await open(counting), await open(counting)];
    let release = () => {};
    const slow = sinkOf('shared', () => new Promise<void>((resolve) => (release = resolve)));
    const sinks = await serve(one, [slow.port], 600);
    await end(one, 'r');
    await expect.poll(() => slow.got, PATIENT).toEqual(['r']);
    const other = sinkOf('shared');
    await serve(two, [other.port], 600);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(other.got).toEqual([]);
    await sinks.close(10);
    await expect.poll(() => other.got, PATIENT).toEqual(['r']);
    release();
  });

  it.each([-3_600_000, 3_600_000])(
    'DI-085: a machine whose clock is wrong by %i ms offers again after the pause, and does not ask all the time',
    async (aheadMs) => {
      const database = await open(counting);
      let asked = 0;
      const counted = new Proxy(database, {
        get: (target, key) => {
          if (key === 'read' || key === 'write') asked++;
          const value: unknown = Reflect.get(target, key, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
      const sink = sinkOf('broken', () => {
        throw new Error('no room');
      });
      const began = performance.now();
      await serve(counted, [sink.port], 30_000, aheadMs);
      await end(database, ...Array.from({ length: 51 }, (_, i) => `r${i}`));
      await expect.poll(() => sink.got.length, PATIENT).toBeGreaterThan(51);
      // A claim and what became of it for each run, and three questions in every round.
      const rounds = (performance.now() - began) / 500 + 2;
      expect(asked).toBeLessThan(2 * (sink.got.length + 1) + 3 * rounds);
    },
  );

  it('DI-085: of a run that is not kept any more there is nothing to give, which is told', async () => {
    const database = await open(counting);
    const sink = sinkOf('s');
    const sinks = await serve(database, [sink.port]);
    await end(database, 'gone', 'here');
    await expect.poll(() => sink.got, PATIENT).toEqual(['here']);
    await sinks.close();
    expect(await waiting(database)).toEqual([]);
    expect(faults).toContain('sink s: the run gone was retired before its result was taken');
  });

  it('DI-085: whatever a sink throws, it is another try, also that something was not found', async () => {
    const database = await open(counting);
    const sink = sinkOf('s', () => {
      if (sink.got.length === 1) throw new PalisadeError('not_found', 'run r has no item x');
    });
    await serve(database, [sink.port]);
    await end(database, 'r');
    await expect.poll(() => sink.got, PATIENT).toEqual(['r', 'r']);
    expect(faults).toContain('sink s: run r has no item x');
    await expect.poll(() => waiting(database), PATIENT).toEqual([]);
  });

  it('DI-085: a name that is forgotten keeps nothing, and one that is none is refused', async () => {
    const database = await open(counting);
    await (await serve(database, [sinkOf('old').port])).close();
    await end(database, 'r');
    const operations = callerOf(sinkOperations(database));
    expect(await operations.call(forgetSink, { name: 'old' })).toEqual({ name: 'old', removed: true });
    expect(await operations.call(forgetSink, { name: 'old' })).toEqual({ name: 'old', removed: false });
    const sink = sinkOf('old');
    await serve(database, [sink.port]);
    await end(database, 'later');
    await expect.poll(() => sink.got, PATIENT).toEqual(['later']);
    for (const names of [['a', 'a'], ['a b'], ['']])
      await expect(
        serve(
          database,
          names.map((name) => sinkOf(name).port),
        ),
      ).rejects.toMatchObject({
        code: 'invalid_input',
      });
  });
});
