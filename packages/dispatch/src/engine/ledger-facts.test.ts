import { cancelRun, contentHash, listEvents, type ProductFacts, submitPlan } from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it, onTestFinished } from 'vitest';
import { done, engineStarter, failed, LOST, migrations, ScriptedExecutor } from '../../test/engine-rig.ts';

const command = (id: string, more: Record<string, unknown> = {}) => ({ id, command: 'true', ...more });

/** Everything an attempt can leave. */
const PRODUCT: ProductFacts = {
  result_ref: contentHash('patch'),
  patch: { files: 1, added: 2, deleted: 3, bytes: 40 },
  outputs: [{ path: 'report.md', ref: contentHash('report'), size: 6 }],
  log_ref: contentHash('log'),
  summary: 'what I did',
  verify: { passed: false, report: 'two tests fail', duration_ms: 5 },
  usage: { models: ['m'], input_tokens: 7, cost_usd: 0.25 },
  deps: { at_setup: contentHash('1'), at_finish: contentHash('2'), tier: 'recorded' },
  warnings: ['a warning'],
  blocks: [{ kind: 'agent', ordinal: 0, status: 'ok', exit_code: 0, duration_ms: 5 }],
};

eachDatabase('the facts of a ledger', (open) => {
  const start = engineStarter(open);
  it('DI-223: products, verdicts, usage, reasons, wishes, recovery and attempts that never began are entries of the sealed ledger', async () => {
    const database = await open({ migrations });
    const first = await start(new ScriptedExecutor(() => undefined), { database, leaseMs: 60_000 });
    await first.ops.call(submitPlan, {
      run_id: 'r',
      plan: {
        concurrency: 1,
        items: [
          command('done'),
          command('unready', {
            needs: { x: { from: 'done', select: { kind: 'output', path: 'missing.txt' } } },
          }),
          command('broken', { depends_on: ['done'], retry: { max_attempts: 1 } }),
          command('behind', { depends_on: ['broken'] }),
          command('unwanted', { depends_on: ['done'] }),
        ],
      },
    });
    await expect.poll(async () => (await first.ops.call(listEvents, { run: 'r' })).data.length).toBe(3);
    await first.stop();
    const second = new ScriptedExecutor((intent) => {
      if (intent.itemId === 'done') return done({ product: PRODUCT, exitCode: 0, posture: ['seccomp'] });
      return failed({ retryable: false, code: 'secret_expired', reason: 'the secret has expired' });
    });
    second.found = () => ({ how: 'lost', end: LOST });
    const rig = await start(second, { database, isIdle: true });
    onTestFinished(() => rig.stop());
    await rig.ops.call(
      cancelRun,
      { run: 'r', item: 'unwanted', reason: 'not this one' },
      { actor: 'human:eve' },
    );
    await rig.engine.start();
    expect(await rig.ended('r')).toBe('failed');
    const { data } = await rig.ops.call(listEvents, { run: 'r' });
    const told = (type: string, item?: string) =>
      data
        .filter((event) => event.type === type && (item === undefined || event.data['item'] === item))
        .map((event) => event.data);
    expect(told('run.recovered')).toMatchObject([{ fence: expect.any(Number), lost: 1, adopted: 0 }]);
    expect(told('item.reconciled', 'done')).toMatchObject([
      { attempt: 1, status: 'retrying', outcome: 'lost', code: 'worker_lost' },
      {
        attempt: 2,
        status: 'done',
        outcome: 'succeeded',
        exit_code: 0,
        product: PRODUCT,
        posture: ['seccomp'],
      },
    ]);
    expect(told('item.failed', 'unready')).toMatchObject([
      { code: 'requirements_unmet', reason: expect.stringContaining('left no output missing.txt') },
    ]);
    expect(told('item.reconciled', 'broken')).toMatchObject([
      { status: 'failed', code: 'secret_expired', reason: 'the secret has expired' },
    ]);
    expect(told('item.skipped', 'behind')).toEqual([{ item: 'behind', because: 'broken' }]);
    expect(told('run.cancel_requested')).toEqual([
      { actor: 'human:eve', item: 'unwanted', reason: 'not this one' },
    ]);
    expect(told('item.canceled', 'unwanted')).toEqual([{ item: 'unwanted', reason: 'canceled on request' }]);
    expect(told('run.completed')).toMatchObject([
      { status: 'failed', counts: { done: 1, failed: 2, skipped: 1, canceled: 1 } },
    ]);
  });
});
