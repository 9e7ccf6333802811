import {
  APPROVAL_OUTPUT,
  ApprovalRecord,
  cancelRun,
  contentHash,
  decideRequest,
  getRun,
  listEvents,
  rerun,
  validatePlan,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { childRunProduct, listChildRuns } from '@palisade/runs';
import { expect, it } from 'vitest';
import {
  command,
  done,
  type EngineRig,
  engineStarter,
  failed,
  migrations,
  ScriptedExecutor,
  statesOf,
} from '../../test/engine-rig.ts';
import { ANN, approvalItem, BOB, requestOf, submitAsAnn, until } from '../../test/people.ts';

eachDatabase('approvals', (open) => {
  const engines = engineStarter(open);
  const stored = new Map<string, Buffer>();
  const blobs = {
    get: async () => Buffer.alloc(0),
    put: async (bytes: Uint8Array) => {
      stored.set(contentHash(bytes), Buffer.from(bytes));
      return { hash: contentHash(bytes), size: bytes.byteLength };
    },
  } as never;
  type Options = Parameters<typeof engines>[1];
  const start = (executor = new ScriptedExecutor(), options: Options = {}) =>
    engines(executor, { deps: { blobs }, ...options });
  const decide = (
    rig: EngineRig,
    item: string,
    decision: 'approve' | 'deny',
    { actor = BOB.actor, ...more }: { actor?: string; hash?: string; reason?: string } = {},
  ) => rig.ops.call(decideRequest, { run: 'r', item, decision, ...more }, { actor });

  it('DI-192: what is made again is approved again: a rerun of what failed keeps the approvals before it', async () => {
    let isBroken = true;
    const executor = new ScriptedExecutor(({ itemId }) =>
      itemId === 'release' && isBroken
        ? failed({ retryable: false })
        : done({ product: { result_ref: contentHash('patch') } }),
    );
    const rig = await start(executor);
    const work = { from: 'work', select: { kind: 'patch' } };
    await submitAsAnn(rig, [
      command('work'),
      approvalItem('gate', {}, { needs: { work } }),
      command('check', { depends_on: ['gate'] }),
      command('release', { depends_on: ['check'], needs: { work: { ...work, apply: true } } }),
    ]);
    await requestOf(rig, 'gate');
    await decide(rig, 'gate', 'approve');
    expect(await rig.ended('r')).toBe('failed');
    isBroken = false;
    await rig.ops.call(rerun, { run: 'r', only_failed: true, run_id: 'again' }, ANN);
    await expect
      .poll(() => statesOf(rig, 'again'))
      .toEqual({
        work: 'done',
        gate: 'needs_input',
        release: 'pending',
      });
    await rig.ops.call(decideRequest, { run: 'again', item: 'gate', decision: 'approve' }, BOB);
    expect(await rig.ended('again')).toBe('completed');
  });

  it('DI-192: two people cannot be one because nobody decided the other in time', async () => {
    const rig = await start();
    const { issues } = await rig.ops.call(validatePlan, {
      plan: {
        items: [
          approvalItem('first', { expires_seconds: 1, on_expiry: 'approve' }),
          approvalItem('second', { distinct_from: ['first'] }),
        ],
      },
    });
    expect(issues.map(({ path }) => path)).toEqual(['items[1].approval.distinct_from[0]']);
  });

  it('DI-192: nobody runs anything, a person sees exactly what is decided, and the record of it is the product others take', async () => {
    const executor = new ScriptedExecutor(() => done({ product: { result_ref: contentHash('patch') } }));
    const rig = await start(executor);
    await submitAsAnn(rig, [
      command('a'),
      approvalItem(
        'b',
        { role: 'release manager' },
        { needs: { work: { from: 'a', select: { kind: 'patch' } } } },
      ),
      command('c', { needs: { paper: { from: 'b', select: { kind: 'output', path: APPROVAL_OUTPUT } } } }),
    ]);
    const asked = await requestOf(rig, 'b');
    expect(asked).toMatchObject({
      kind: 'approval',
      state: 'open',
      text: 'Publish what b shows?',
      role: 'release manager',
      inputs: [{ key: 'work', from: 'a', ref: contentHash('patch') }],
      on_expiry: 'deny',
    });
    const digits = asked.hash.slice('sha256:'.length, 'sha256:'.length + 12);
    const { request: decided } = await decide(rig, 'b', 'approve', { hash: digits, reason: 'looks right' });
    expect(decided).toMatchObject({ state: 'approved', answered_by: 'human:bob', reason: 'looks right' });
    expect(await rig.ended('r')).toBe('completed');
    expect(executor.items).toEqual(['a', 'c']);
    const { items } = await rig.ops.call(getRun, { run: 'r' });
    expect(items[1]).toMatchObject({ state: 'done', outcome: 'succeeded', manifest_ref: asked.hash });
    expect(items[1]?.product?.verify).toMatchObject({ passed: true });
    const output = items[1]?.product?.outputs?.[0];
    expect(output?.path).toBe(APPROVAL_OUTPUT);
    const bytes = stored.get(output?.ref ?? '') ?? Buffer.alloc(0);
    expect(output?.size).toBe(bytes.byteLength);
    expect(ApprovalRecord.parse(JSON.parse(bytes.toString('utf8')))).toMatchObject({
      request: asked.id,
      request_hash: asked.hash,
      decision: 'approve',
      approver: 'human:bob',
      reason: 'looks right',
    });
    expect(rig.faults).toEqual([]);
  });

  it('DI-192 DI-165: a denial ends the item, and nothing that depends on it starts', async () => {
    const executor = new ScriptedExecutor();
    const rig = await start(executor);
    await submitAsAnn(rig, [approvalItem('b'), command('c', { depends_on: ['b'] }), command('d')]);
    await requestOf(rig, 'b');
    await decide(rig, 'b', 'deny', { actor: ANN.actor, reason: 'not on a Friday' });
    expect(await rig.ended('r')).toBe('failed');
    expect(await statesOf(rig, 'r')).toEqual({ b: 'denied', c: 'skipped', d: 'done' });
    const { items } = await rig.ops.call(getRun, { run: 'r' });
    expect(items[0]).toMatchObject({
      code: 'approval_denied',
      reason: 'denied by human:ann: not on a Friday',
      product: { verify: { passed: false } },
    });
  });

  it('DI-192: a changed request, a second decision and a decision of a program are refused', async () => {
    const rig = await start();
    await submitAsAnn(rig, [approvalItem('b'), command('c', { depends_on: ['b'] })]);
    await requestOf(rig, 'b');
    await expect(decide(rig, 'b', 'approve', { hash: '0'.repeat(12) })).rejects.toMatchObject({
      code: 'stale_revision',
    });
    for (const actor of ['agent:fixer', 'system:local', 'robot'])
      await expect(decide(rig, 'b', 'approve', { actor })).rejects.toMatchObject({ code: 'policy_denied' });
    expect(await statesOf(rig, 'r')).toEqual({ b: 'needs_input', c: 'pending' });
    const both = await Promise.allSettled([decide(rig, 'b', 'approve'), decide(rig, 'b', 'deny', ANN)]);
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const [lost] = both.flatMap((each) => (each.status === 'rejected' ? [each.reason as Error] : []));
    expect(lost).toMatchObject({ code: 'invalid_state' });
    expect(lost?.message).toMatch(/already (approved|denied) by human:(ann|bob)/);
    await rig.ended('r');
    await expect(decide(rig, 'b', 'approve')).rejects.toMatchObject({ code: 'invalid_state' });
  });

  it('DI-203: four eyes are those of another person, and two human slots need two people', async () => {
    const rig = await start();
    await submitAsAnn(rig, [
      approvalItem('first', { four_eyes: true }),
      approvalItem('second', { distinct_from: ['first'] }),
      command('push', { depends_on: ['first', 'second'] }),
    ]);
    await requestOf(rig, 'second');
    await expect(decide(rig, 'first', 'approve', ANN)).rejects.toMatchObject({ code: 'policy_denied' });
    await decide(rig, 'first', 'approve', BOB);
    await expect(decide(rig, 'second', 'approve', BOB)).rejects.toMatchObject({ code: 'policy_denied' });
    await decide(rig, 'second', 'approve', ANN);
    expect(await rig.ended('r')).toBe('completed');
  });

  it('DI-192: what nobody decides in time is denied, by protected time and also when no engine was there', async () => {
    const database = await open({ migrations });
    const rig = await start(undefined, { database, deps: { blobs } });
    await submitAsAnn(rig, [approvalItem('b', { expires_seconds: 1 }), command('c', { depends_on: ['b'] })]);
    const { expires_at: expiresAt = 0 } = await requestOf(rig, 'b');
    await rig.engine.stop();
    while (Date.now() < expiresAt + 5) await new Promise((resolve) => setTimeout(resolve, 20));
    // Whoever looks computes it from facts.
    expect((await requestOf(rig, 'b')).state).toBe('expired');
    await expect(decide(rig, 'b', 'approve')).rejects.toMatchObject({ code: 'invalid_state' });
    const second = await start(undefined, { database, deps: { blobs } });
    expect(await second.ended('r')).toBe('failed');
    expect(await statesOf(second, 'r')).toEqual({ b: 'denied', c: 'skipped' });
    const { data } = await second.ops.call(listEvents, { run: 'r' });
    expect(data.find(({ type }) => type === 'item.decided')?.data).toMatchObject({
      decision: 'expire',
      actor: 'system:expiry',
    });
  });

  it('DI-192: expiry approves only where the plan says so, and nobody is told to have approved it', async () => {
    const rig = await start();
    await submitAsAnn(rig, [
      approvalItem('b', { expires_seconds: 1, on_expiry: 'approve' }),
      command('c', { depends_on: ['b'] }),
    ]);
    expect(await rig.ended('r')).toBe('completed');
    const { items } = await rig.ops.call(getRun, { run: 'r' });
    expect(items[0]?.product?.outputs).toBeUndefined();
    expect(items[0]?.product?.verify?.report).toBe('nobody decided in time');
  });

  it('DI-176 FF-172: it takes no slot, is canceled with its run, and survives that nobody runs meanwhile', async () => {
    const database = await open({ migrations });
    const rig = await start(new ScriptedExecutor(), { database, concurrency: 1, deps: { blobs } });
    await submitAsAnn(rig, [approvalItem('b'), approvalItem('b2'), command('c')]);
    await requestOf(rig, 'b2');
    await until(async () => (await statesOf(rig, 'r'))['c'] === 'done');
    await rig.engine.stop();
    await decide(rig, 'b', 'approve');
    // Nobody acts on it for a while, and what it left is kept.
    const record = [...stored.keys()].at(-1);
    const product = await database.read(async (tx) => {
      const [child] = await listChildRuns(tx, 'r', 'b');
      return childRunProduct(tx, child?.id ?? '');
    });
    expect(product?.outputs?.map(({ ref }) => ref)).toEqual([record]);
    const second = await start(undefined, { database, deps: { blobs } });
    await until(async () => (await statesOf(second, 'r'))['b'] === 'done');
    await second.ops.call(cancelRun, { run: 'r' }, ANN);
    expect(await second.ended('r')).toBe('canceled');
    expect(await statesOf(second, 'r')).toEqual({ b: 'done', b2: 'canceled', c: 'done' });
    await expect(decide(second, 'b2', 'approve')).rejects.toMatchObject({ code: 'invalid_state' });
  });

  it('a decision that comes before the cancel counts, whatever the engine sees first', async () => {
    const database = await open({ migrations });
    const rig = await start(undefined, { database, deps: { blobs } });
    await submitAsAnn(rig, [approvalItem('b'), command('c', { depends_on: ['b'] })]);
    await requestOf(rig, 'b');
    await rig.engine.stop();
    await decide(rig, 'b', 'approve');
    await rig.ops.call(cancelRun, { run: 'r' }, ANN);
    const second = await start(undefined, { database, deps: { blobs } });
    expect(await second.ended('r')).toBe('canceled');
    expect(await statesOf(second, 'r')).toEqual({ b: 'done', c: 'canceled' });
  });

  it('a call that is repeated with its key is answered as it was, and decides nothing again', async () => {
    const rig = await start();
    await submitAsAnn(rig, [approvalItem('b'), approvalItem('later')]);
    await requestOf(rig, 'later');
    const call = () =>
      rig.ops.call(
        decideRequest,
        { run: 'r', item: 'b', decision: 'approve' },
        { ...BOB, idempotencyKey: 'once' },
      );
    const first = await call();
    expect(await call()).toEqual(first);
    await decide(rig, 'later', 'deny');
    await rig.ended('r');
  });

  it('DI-163: a plan that lets an approval run a program, or names people that are not asked, is refused with every place', async () => {
    const rig = await start();
    const { issues } = await rig.ops.call(validatePlan, {
      plan: {
        items: [
          { ...approvalItem('a'), command: 'true', resourceLocks: ['x'] },
          { id: 'b', command: 'true', approval: { prompt: 'p' } },
          { id: 'c', executor: 'approval' },
          approvalItem('d', { on_expiry: 'approve', four_eyes: true, distinct_from: ['d', 'e', 'nobody'] }),
          command('e', {
            needs: { 'answer.json': { from: 'a', select: { kind: 'output', path: 'approval' } } },
          }),
        ],
      },
    });
    expect(issues.map(({ path }) => path)).toEqual([
      'items[0].command',
      'items[0].resourceLocks',
      'items[1].executor',
      'items[2].approval',
      'items[3].approval.on_expiry',
      'items[3].approval.on_expiry',
      'items[3].approval.distinct_from[0]',
      'items[3].approval.distinct_from[1]',
      'items[3].approval.distinct_from[2]',
      'items[4].needs.answer.json',
    ]);
  });
});
