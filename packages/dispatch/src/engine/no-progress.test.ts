import { getRun, listRuns, PalisadeError, submitPlan } from '@palisade/contracts';
import type { Database } from '@palisade/kernel';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { done, engineStarter, failed, LOST, migrations, ScriptedExecutor } from '../../test/engine-rig.ts';

const command = (id: string, more: Record<string, unknown> = {}) => ({ id, command: 'true', ...more });

eachDatabase('a serial queue', (open) => {
  const starter = engineStarter(open);
  const start = (database: Database, executor: ScriptedExecutor) =>
    starter(executor, { database, concurrency: 1, leaseMs: 60_000 });
  type Rig = Awaited<ReturnType<typeof start>>;
  const show = async ({ ops }: Rig, run: string) => ops.call(getRun, { run });
  const reason = async (rig: Rig, run: string) => (await show(rig, run)).items[0]?.reason;

  it('FF-057: whose head was lost between two steps moves on', async () => {
    const database = await open({ migrations });
    const first = new ScriptedExecutor(() => undefined);
    const one = await start(database, first);
    await one.ops.call(submitPlan, { run_id: 'head', plan: { items: [command('a')] } });
    await expect.poll(() => first.items).toEqual(['a']);
    await one.ops.call(submitPlan, { run_id: 'next', plan: { items: [command('b')] } });
    await expect.poll(() => reason(one, 'next')).toBe('waits for a slot in queue default, used by head');
    await one.stop();
    const second = new ScriptedExecutor(() => done());
    second.found = () => ({ how: 'lost', end: LOST });
    const two = await start(database, second);
    expect([await two.ended('head'), await two.ended('next')]).toEqual(['completed', 'completed']);
  });

  it('FF-057: whose head cannot be looked for says so, with the reason and since when, until it can', async () => {
    const database = await open({ migrations });
    const first = new ScriptedExecutor(() => undefined);
    const one = await start(database, first);
    await one.ops.call(submitPlan, { run_id: 'head', plan: { items: [command('a'), command('x')] } });
    await expect.poll(() => first.items).toEqual(['a']);
    await one.ops.call(submitPlan, { run_id: 'next', plan: { items: [command('b')] } });
    await one.stop();
    const second = new ScriptedExecutor(() => done());
    let isBroken = true;
    second.found = () => {
      if (isBroken) throw Object.assign(new Error('token=hunter2'), { code: 'EACCES' });
      return { how: 'lost', end: LOST };
    };
    const two = await start(database, second);
    const trouble = { code: 'internal', message: 'Error EACCES' };
    await expect.poll(async () => (await show(two, 'head')).items[0]?.trouble).toMatchObject(trouble);
    const stuck = await show(two, 'head');
    expect(stuck.run).toMatchObject({ owned: true, state: 'running', trouble: { ...trouble, item: 'a' } });
    expect(stuck.run.trouble?.since).toBeLessThanOrEqual(stuck.run.trouble?.at ?? 0);
    expect(stuck.items[1]?.trouble).toBeUndefined();
    expect(await reason(two, 'next')).toBe('waits for a slot in queue default, used by head');
    const { data } = await two.ops.call(listRuns, {});
    expect(data.find(({ id }) => id === 'head')?.trouble).toMatchObject(trouble);
    expect(data.find(({ id }) => id === 'next')?.trouble).toBeUndefined();
    expect(JSON.stringify([data, stuck])).not.toContain('hunter2');
    isBroken = false;
    expect([await two.ended('head'), await two.ended('next')]).toEqual(['completed', 'completed']);
    expect((await show(two, 'head')).run.trouble).toBeUndefined();
    expect(await database.read((tx) => tx.sql.all('SELECT * FROM run_troubles'))).toEqual([]);
  });

  it('FF-057: whose head waits for its machine, or whose next step is refused, says so and goes on', async () => {
    const database = await open({ migrations });
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(database, executor);
    await rig.ops.call(submitPlan, {
      run_id: 'head',
      plan: { items: [command('a', { retry: { max_attempts: 1 } })] },
    });
    await expect.poll(() => executor.open.has('a#1')).toBe(true);
    const attempt = executor.open.get('a#1');
    attempt?.intent.onTrouble?.(new PalisadeError('storage_full', 'no space left on the device'));
    await expect
      .poll(async () => (await show(rig, 'head')).run.trouble)
      .toMatchObject({
        item: 'a',
        code: 'storage_full',
        message: 'no space left on the device',
      });
    // An end that no event can hold any more once it was checked: the step that would record it fails, for as long as it does.
    let isTooBig = true;
    let looks = 0;
    const product = () => (isTooBig && looks++ > 0 ? { summary: 's'.repeat(400_000) } : {});
    attempt?.end(Object.defineProperty(failed(), 'product', { get: product }));
    await expect.poll(async () => (await show(rig, 'head')).run.trouble?.code).toBe('too_large');
    const { run, items } = await show(rig, 'head');
    expect([run.state, run.trouble?.item, items[0]?.trouble?.code]).toEqual([
      'running',
      undefined,
      'storage_full',
    ]);
    isTooBig = false;
    expect(await rig.ended('head')).toBe('failed');
    expect(await database.read((tx) => tx.sql.all('SELECT * FROM run_troubles'))).toEqual([]);
  });

  it('FF-057 DI-190: whose head is told an end that is none, or none at all, ends it and goes on', async () => {
    const executor = new ScriptedExecutor();
    const rig = await start(await open({ migrations }), executor);
    for (const [run_id, end, says] of [
      ['big', { product: { summary: 's'.repeat(400_000) } }, /too much of its product/],
      ['half', { exitCode: 1.5 }, /an end that is none/],
      ['odd', { product: { unheard: 'of' } }, /an end that is none/],
      ['mute', { outcome: 'needs_input' }, /a question and gave none/],
      ['thrown', new Error('it broke'), /Error/],
    ] as const) {
      executor.behaviour = () =>
        end instanceof Error ? Promise.reject(end) : failed({ retryable: false, ...(end as object) });
      const items = [command('a', { retry: { max_attempts: 1 } })];
      await rig.ops.call(submitPlan, { run_id, plan: { items } });
      expect(await rig.ended(run_id)).toBe('failed');
      expect(await reason(rig, run_id)).toMatch(says);
    }
  });

  it('FF-057: whose head says what no database can hold tells its trouble, ends, and lets the next one start', async () => {
    const database = await open({ migrations });
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(database, executor);
    await rig.ops.call(submitPlan, { run_id: 'head', plan: { items: [command('a')] } });
    await rig.ops.call(submitPlan, { run_id: 'next', plan: { items: [command('b')] } });
    await expect.poll(() => executor.open.has('a#1')).toBe(true);
    const attempt = executor.open.get('a#1');
    attempt?.intent.onTrouble?.(new PalisadeError('internal', 'it wrote a\0b'));
    await expect
      .poll(async () => (await show(rig, 'head')).run.trouble)
      .toMatchObject({ item: 'a', message: 'it wrote a\ufffdb' });
    attempt?.end(failed({ reason: 'c\0d', retryable: false }));
    expect(await rig.ended('head')).toBe('failed');
    expect(await reason(rig, 'head')).toBe('c\ufffdd');
    await expect.poll(() => executor.items).toEqual(['a', 'b']);
  });
});
