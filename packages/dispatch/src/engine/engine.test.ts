import { cancelRun, contentHash, getRun, listEvents, Manifest, rerun, submitPlan } from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { getDocument, listChildRuns } from '@palisade/runs';
import { expect, it } from 'vitest';
import {
  command,
  done,
  engineStarter,
  failed,
  LOST,
  migrations,
  ScriptedExecutor,
  statesOf,
} from '../../test/engine-rig.ts';

eachDatabase('plan engine', (open) => {
  const start = engineStarter(open);

  it('DI-170: an item starts when all its dependencies are done, and not before', async () => {
    const executor = new ScriptedExecutor();
    const rig = await start(executor);
    await rig.ops.call(submitPlan, {
      run_id: 'r',
      plan: {
        items: [command('c', { depends_on: ['a', 'b'] }), command('a'), command('b', { depends_on: ['a'] })],
      },
    });
    expect(await rig.ended('r')).toBe('completed');
    expect(executor.items).toEqual(['a', 'b', 'c']);
    expect(rig.faults).toEqual([]);
  });

  it('DI-221 DI-079: every item leaves exactly one fired, one started and one reconciled entry, in a gapless ledger that ends with run.completed', async () => {
    const rig = await start(new ScriptedExecutor());
    await rig.ops.call(submitPlan, {
      run_id: 'r',
      plan: { items: [command('a'), command('b', { depends_on: ['a'] })] },
    });
    await rig.ended('r');
    const { data, sealed } = await rig.ops.call(listEvents, { run: 'r' });
    expect(data.map((event) => event.type)).toEqual([
      'run.submitted',
      'item.fired',
      'item.started',
      'item.reconciled',
      'item.fired',
      'item.started',
      'item.reconciled',
      'run.completed',
    ]);
    expect(data.map((event) => event.seq)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(sealed).toBe(true);
  });

  it('DI-072 DI-220: when an executor is asked to begin, the intent and its manifest are committed and say the same', async () => {
    const database = await open({ migrations });
    const seen: unknown[] = [];
    const executor = new ScriptedExecutor(async (intent) => {
      await database.read(async (tx) => {
        const child = (await listChildRuns(tx, 'r', intent.itemId)).at(-1);
        const fired = (await tx.journal.read('run:r', -1, 100)).findLast(({ type }) => type === 'item.fired');
        const manifest = Manifest.parse(
          JSON.parse(await getDocument(tx, intent.rootRunId, child?.manifestRef as never)),
        );
        expect(fired?.data).toMatchObject({ run: intent.runId, manifest_ref: child?.manifestRef });
        expect(child).toMatchObject({ id: intent.runId, state: 'running', deadlineAt: intent.deadlineAt });
        expect(manifest).toMatchObject({
          attempt: intent.attempt,
          attempt_run: intent.runId,
          deadline_at: intent.deadlineAt,
        });
        seen.push([intent.itemId, intent.attempt, manifest.inputs.map(({ key, ref }) => [key, ref])]);
      });
      if (intent.itemId === 'b' && intent.attempt === 1) return failed();
      return done({ product: { result_ref: contentHash(intent.itemId) } });
    });
    const rig = await start(executor, { database });
    await rig.ops.call(submitPlan, {
      run_id: 'r',
      plan: {
        items: [
          command('a'),
          command('b', {
            needs: { work: { from: 'a', select: { kind: 'patch' } } },
            retry: { backoff_ms: 1 },
          }),
        ],
      },
    });
    expect(await rig.ended('r')).toBe('completed');
    const work = [['work', contentHash('a')]];
    expect(seen).toEqual([
      ['a', 1, []],
      ['b', 1, work],
      ['b', 2, work],
    ]);
  });

  it('DI-173 EX-084: a failed attempt is retried under a new id with back-off up to its own policy, then the item failed', async () => {
    const executor = new ScriptedExecutor((intent) =>
      intent.itemId === 'flaky' && intent.attempt === 3 ? done() : failed(),
    );
    const rig = await start(executor);
    await rig.ops.call(submitPlan, {
      run_id: 'r',
      plan: {
        items: [
          command('flaky', { retry: { max_attempts: 3, backoff_ms: 1 } }),
          command('bad', { retry: { max_attempts: 2, backoff_ms: 1 } }),
        ],
      },
    });
    expect(await rig.ended('r')).toBe('failed');
    expect(await statesOf(rig, 'r')).toEqual({ flaky: 'done', bad: 'failed' });
    expect(executor.items.filter((id) => id === 'flaky')).toHaveLength(3);
    expect(executor.items.filter((id) => id === 'bad')).toHaveLength(2);
    expect(new Set(executor.started.map(({ runId }) => runId)).size).toBe(5);
  });

  it('DI-173: an end that says retrying cannot help is not retried', async () => {
    const executor = new ScriptedExecutor(() => failed({ retryable: false }));
    const rig = await start(executor);
    await rig.ops.call(submitPlan, {
      run_id: 'r',
      plan: { items: [command('a', { retry: { max_attempts: 5 } })] },
    });
    expect(await rig.ended('r')).toBe('failed');
    expect(executor.items).toEqual(['a']);
  });

  it('DI-170 DI-179: everything behind a failed item is skipped in one pass, the rest goes on', async () => {
    const executor = new ScriptedExecutor((intent) =>
      intent.itemId === 'bad' ? failed({ retryable: false }) : done(),
    );
    const rig = await start(executor);
    const chain = Array.from({ length: 300 }, (_, i) =>
      command(`s${i}`, { depends_on: [i === 0 ? 'bad' : `s${i - 1}`] }),
    );
    await rig.ops.call(submitPlan, {
      run_id: 'r',
      plan: { items: [command('bad'), ...chain, command('free')] },
    });
    expect(await rig.ended('r')).toBe('failed');
    const { run } = await rig.ops.call(getRun, { run: 'r' });
    expect(run.counts).toMatchObject({ failed: 1, skipped: 300, done: 1 });
    expect(executor.items.sort()).toEqual(['bad', 'free']);
  });

  it('DI-172: an item whose needed product does not exist fails with the product named', async () => {
    const rig = await start(new ScriptedExecutor());
    await rig.ops.call(submitPlan, {
      run_id: 'r',
      plan: {
        items: [
          command('a'),
          command('b', { needs: { report: { from: 'a', select: { kind: 'output', path: 'report.txt' } } } }),
          command('c', { depends_on: ['b'] }),
        ],
      },
    });
    expect(await rig.ended('r')).toBe('failed');
    const { items } = await rig.ops.call(getRun, { run: 'r' });
    expect(items.find((item) => item.id === 'b')).toMatchObject({
      state: 'failed',
      reason: 'item a left no output report.txt for input report: it has to write outputs/report.txt',
    });
    expect(items.find((item) => item.id === 'c')).toMatchObject({ state: 'skipped' });
  });

  it('DI-176: canceling a run stops running work, cancels the rest and seals it as canceled', async () => {
    const executor = new ScriptedExecutor((intent) => (intent.itemId === 'first' ? done() : undefined));
    const rig = await start(executor);
    await rig.ops.call(submitPlan, {
      run_id: 'r',
      plan: {
        items: [
          command('first'),
          command('long', { depends_on: ['first'] }),
          command('later', { depends_on: ['long'] }),
        ],
      },
    });
    await expect.poll(() => executor.open.has('long#1')).toBe(true);
    expect((await rig.ops.call(cancelRun, { run: 'r', reason: 'wrong branch' })).accepted).toBe(true);
    expect((await rig.ops.call(cancelRun, { run: 'r' })).accepted).toBe(false);
    expect(await rig.ended('r')).toBe('canceled');
    expect(await statesOf(rig, 'r')).toEqual({ first: 'done', long: 'canceled', later: 'canceled' });
    await expect(rig.ops.call(cancelRun, { run: 'r' })).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(rig.ops.call(cancelRun, { run: 'nothing' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('DI-176: canceling one item stops it and skips what depends on it; the others go on', async () => {
    const executor = new ScriptedExecutor((intent) => (intent.itemId === 'long' ? undefined : done()));
    const rig = await start(executor);
    await rig.ops.call(submitPlan, {
      run_id: 'r',
      plan: { items: [command('long'), command('after', { depends_on: ['long'] }), command('other')] },
    });
    await expect.poll(() => executor.open.has('long#1')).toBe(true);
    await rig.ops.call(cancelRun, { run: 'r', item: 'long' });
    expect(await rig.ended('r')).toBe('failed');
    expect(await statesOf(rig, 'r')).toEqual({ long: 'canceled', after: 'skipped', other: 'done' });
  });

  it('DI-174: a run past its deadline stops what runs and ends as timed_out', async () => {
    let clock = Date.now();
    const database = await open({ migrations, wallClock: () => clock });
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(executor, { database, leaseMs: 3_600_000 });
    await rig.ops.call(submitPlan, {
      run_id: 'r',
      plan: { timeout_seconds: 60, items: [command('a'), command('b', { depends_on: ['a'] })] },
    });
    await expect.poll(() => executor.open.size).toBe(1);
    clock += 61_000;
    rig.engine.poke('r');
    expect(await rig.ended('r')).toBe('timed_out');
    expect(await statesOf(rig, 'r')).toEqual({ a: 'canceled', b: 'canceled' });
  });

  it('EX-099 FF-042: a run that hangs is stopped on time without any call, and its slot goes to the next', async () => {
    const executor = new ScriptedExecutor((intent) => (intent.itemId === 'hangs' ? undefined : done()));
    const rig = await start(executor, { concurrency: 1 });
    const hung = { timeout_seconds: 1, items: [command('hangs')] };
    await rig.ops.call(submitPlan, { run_id: 'hung', plan: hung });
    await rig.ops.call(submitPlan, { run_id: 'next', plan: { items: [command('a')] } });
    expect(await rig.ended('hung')).toBe('timed_out');
    expect(await rig.ended('next')).toBe('completed');
    expect(executor.items).toEqual(['hangs', 'a']);
  });

  it('DI-164 FF-052: the same run id with the same plan is one run, with another plan a conflict, and a refused plan leaves nothing', async () => {
    const executor = new ScriptedExecutor();
    const rig = await start(executor);
    const plan = { items: [command('a')] };
    expect(await rig.ops.call(submitPlan, { run_id: 'r', plan })).toMatchObject({ created: true });
    await rig.ended('r');
    expect(await rig.ops.call(submitPlan, { run_id: 'r', plan })).toMatchObject({
      created: false,
      run_id: 'r',
    });
    await expect(
      rig.ops.call(submitPlan, { run_id: 'r', plan: { items: [command('b')] } }),
    ).rejects.toMatchObject({ code: 'already_exists' });
    await expect(
      rig.ops.call(submitPlan, {
        run_id: 'x',
        plan: { items: [command('a', { agent: 'nobody', command: undefined })] },
      }),
    ).rejects.toMatchObject({ code: 'invalid_plan' });
    await expect(rig.ops.call(getRun, { run: 'x' })).rejects.toMatchObject({ code: 'not_found' });
    expect(executor.items).toEqual(['a']);
  });

  it('DI-164: an idempotency key answers a repeated submission with the first run', async () => {
    const executor = new ScriptedExecutor();
    const rig = await start(executor);
    const plan = { items: [command('a')] };
    const first = await rig.ops.call(submitPlan, { plan }, { idempotencyKey: 'k' });
    const again = await rig.ops.call(submitPlan, { plan }, { idempotencyKey: 'k' });
    expect(again).toMatchObject({ run_id: first.run_id, created: false });
    await expect(
      rig.ops.call(submitPlan, { plan: { items: [command('z')] } }, { idempotencyKey: 'k' }),
    ).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    await rig.ended(first.run_id);
    expect(executor.items).toEqual(['a']);
  });

  it('DI-177 FF-044 FF-047: a new owner adopts finished and live attempts and repeats only lost ones', async () => {
    const database = await open({ migrations });
    const first = new ScriptedExecutor(() => undefined);
    const one = await start(first, { database, leaseMs: 60_000 });
    await one.ops.call(submitPlan, {
      run_id: 'r',
      plan: {
        items: [command('finished'), command('live'), command('lost', { retry: { max_attempts: 1 } })],
      },
    });
    await expect.poll(() => first.items.length).toBe(3);
    await one.stop();

    const second = new ScriptedExecutor(() => done());
    second.found = (intent) =>
      intent.itemId === 'finished'
        ? { how: 'adopted', end: done() }
        : intent.itemId === 'live'
          ? { how: 'reattached' }
          : { how: 'lost', end: LOST };
    const two = await start(second, { database });
    await expect.poll(() => second.items).toEqual(['lost']);
    second.open.get('live#1')?.end(done());
    expect(await two.ended('r')).toBe('completed');
    const { data } = await two.ops.call(listEvents, { run: 'r' });
    expect(data.find((event) => event.type === 'run.recovered')?.data).toMatchObject({
      adopted: 1,
      reattached: 1,
      lost: 1,
    });
    expect(data.filter((event) => event.type === 'item.fired').map((event) => event.data['item'])).toEqual([
      'finished',
      'live',
      'lost',
      'lost',
    ]);
  });

  it('EX-089 FF-049 FF-061: an engine stopped past its lease changes nothing when it comes back', async () => {
    let clock = Date.now();
    const slowDatabase = await open({ migrations, wallClock: () => clock });
    const slow = new ScriptedExecutor(() => undefined);
    const one = await start(slow, { database: slowDatabase, leaseMs: 30_000 });
    await one.ops.call(submitPlan, {
      run_id: 'r',
      plan: { items: [command('a'), command('b', { depends_on: ['a'] })] },
    });
    await expect.poll(() => slow.items).toEqual(['a']);
    // Its last step is done: from here on it stands still.
    await expect.poll(async () => (await one.ops.call(listEvents, { run: 'r' })).data.length).toBe(3);

    clock += 31_000;
    const database = await open({ migrations, wallClock: () => clock });
    const fast = new ScriptedExecutor(() => done());
    fast.found = () => ({ how: 'adopted', end: done() });
    const two = await start(fast, { database, leaseMs: 30_000 });
    expect(await two.ended('r')).toBe('completed');
    const before = (await two.ops.call(listEvents, { run: 'r' })).data;

    // The first engine now hears of its attempt's end and tries to record it.
    slow.open.get('a#1')?.end(failed());
    await expect.poll(() => one.engine.owned).toBe(0);
    expect((await two.ops.call(listEvents, { run: 'r' })).data).toEqual(before);
    expect(await statesOf(two, 'r')).toEqual({ a: 'done', b: 'done' });
    expect(slow.items).toEqual(['a']);
  });

  it('DI-173: an attempt that others keep stopping is given up like one that keeps vanishing', async () => {
    const executor = new ScriptedExecutor(() => ({
      outcome: 'canceled',
      retryable: false,
      product: {},
      posture: [],
    }));
    const rig = await start(executor);
    await rig.ops.call(submitPlan, {
      run_id: 'r',
      plan: { items: [command('a', { retry: { backoff_ms: 1 } })] },
    });
    expect(await rig.ended('r')).toBe('failed');
    expect(executor.items).toHaveLength(5);
  });

  it('DI-178 DI-213: a run that cannot be read keeps no other run waiting', async () => {
    const database = await open({ migrations });
    const idle = await start(new ScriptedExecutor(), { database, isIdle: true });
    await idle.ops.call(submitPlan, { run_id: 'a-broken', plan: { items: [command('x')] } });
    await idle.ops.call(submitPlan, { run_id: 'b-fine', plan: { items: [command('y')] } });
    await database.write((tx) =>
      tx.sql.run(
        "UPDATE documents SET body = '{}' WHERE ref = (SELECT plan_ref FROM runs WHERE id = 'a-broken')",
        [],
      ),
    );
    const rig = await start(new ScriptedExecutor(), { database });
    expect(await rig.ended('b-fine')).toBe('completed');
    expect(rig.faults[0]).toMatchObject({ code: 'integrity_mismatch' });
  });

  it('DI-176: canceling a run of thousands of items takes several steps and ends them all', {
    timeout: 120_000,
  }, async () => {
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(executor, { concurrency: 2 });
    const items = Array.from({ length: 1_500 }, (_, i) => command(`i${i}`));
    await rig.ops.call(submitPlan, { run_id: 'r', plan: { items } });
    await expect.poll(() => executor.open.size, { timeout: 10_000 }).toBe(2);
    await rig.ops.call(cancelRun, { run: 'r' });
    expect(await rig.ended('r')).toBe('canceled');
    expect((await rig.ops.call(getRun, { run: 'r' })).run.counts).toMatchObject({ canceled: 1_500 });
  });

  it('a rerun of what did not finish takes the products it needs along', async () => {
    let healthy = false;
    const executor = new ScriptedExecutor((intent) =>
      intent.itemId === 'b' && !healthy ? failed({ retryable: false }) : done(),
    );
    const rig = await start(executor);
    await rig.ops.call(submitPlan, {
      run_id: 'r',
      plan: {
        items: [
          command('a'),
          command('b', { needs: { work: { from: 'a', select: { kind: 'patch' }, apply: true } } }),
          command('c'),
        ],
      },
    });
    expect(await rig.ended('r')).toBe('failed');
    healthy = true;
    const again = await rig.ops.call(rerun, { run: 'r', only_failed: true });
    expect(again.items).toBe(2);
    expect(await rig.ended(again.run_id)).toBe('completed');
    expect(await statesOf(rig, again.run_id)).toEqual({ a: 'done', b: 'done' });
    const first = await rig.ops.call(rerun, { run: 'r' }, { idempotencyKey: 'again' });
    expect(await rig.ops.call(rerun, { run: 'r' }, { idempotencyKey: 'again' })).toEqual(first);
    await expect(rig.ops.call(rerun, { run: again.run_id, only_failed: true })).rejects.toMatchObject({
      code: 'invalid_state',
    });
  });
});
