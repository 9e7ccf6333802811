import { type JournalEvent, submitPlan } from '@palisade/contracts';
import { openDatabase } from '@palisade/kernel';
import { runStream } from '@palisade/runs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresServer } from '../../../../tests/support/postgres.ts';
import { command, done, engineStarter, migrations, ScriptedExecutor } from '../../test/engine-rig.ts';

const RUNS = Array.from({ length: 30 }, (_, i) => `r${i}`);
const PLAN = { items: [command('live'), command('later', { depends_on: ['live'] })] };

describe.skipIf(process.env['PALISADE_TEST_POSTGRES'] === undefined)('recovery', () => {
  const start = engineStarter(
    Object.assign(() => Promise.reject(new Error('a database is given')), { url: () => '' }),
  );
  let server: PostgresServer;

  beforeAll(async () => {
    const created = await PostgresServer.create();
    if (created === null) throw new Error('this machine has no PostgreSQL');
    server = created;
  });
  afterAll(() => server.remove());

  it('FF-060: goes on through ten crashes of the database server until no run is left behind, and repeats nothing', async () => {
    const before = await openDatabase({ url: server.url, migrations });
    const first = await start(new ScriptedExecutor(() => undefined), { database: before });
    for (const run_id of RUNS) await first.ops.call(submitPlan, { run_id, plan: PLAN });
    await first.stop();
    await before.close();

    const database = await openDatabase({ url: server.url, migrations });
    const executor = new ScriptedExecutor(async () => {
      await new Promise((resolve) => setTimeout(resolve, 100 * Math.random()));
      return done();
    });
    executor.found = () => ({ how: 'adopted', end: done() });
    const second = await start(executor, { database });
    const ends = Promise.all(RUNS.map((run) => second.ended(run)));
    for (let crash = 0; crash < 10; crash++) {
      await new Promise((resolve) => setTimeout(resolve, 60 * Math.random()));
      await server.stop('immediate');
      await server.start();
    }
    expect(new Set(await ends)).toEqual(new Set(['completed']));
    expect(executor.items.toSorted()).toEqual(RUNS.map(() => 'later'));
    for (const run of RUNS) {
      const events = await database.read((tx) => tx.journal.read(runStream(run), -1, 100));
      expect(
        events.filter(isEnd).map(({ data }) => data),
        run,
      ).toMatchObject([
        { item: 'live', attempt: 1, status: 'done' },
        { item: 'later', attempt: 1, status: 'done' },
      ]);
    }
    expect(await database.read((tx) => tx.sql.all('SELECT * FROM queue_usage'))).toEqual([]);
    await second.stop();
    await database.close();
  });
});

const isEnd = ({ type }: JournalEvent): boolean => type === 'item.reconciled';
