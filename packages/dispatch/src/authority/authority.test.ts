import {
  addSchedule,
  type AuthorizationRequest,
  type AuthorizerAnswer,
  cancelRun,
  contentHash,
  extendRun,
  getRun,
  limits,
  listRuns,
  Manifest,
  pauseRun,
  rerun,
  resumeRun,
  runScheduleNow,
  submitPlan,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { getDocument } from '@palisade/runs';
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
import { ANN, BOB, eventsOf, submitAsAnn } from '../../test/people.ts';

const ref = contentHash('policy');
const patch = { result_ref: contentHash('patch') };

type Answer = (
  request: AuthorizationRequest,
  signal?: AbortSignal,
) => AuthorizerAnswer | Promise<AuthorizerAnswer>;

/** Allows everything, except what the test answers itself; keeps what it was asked. */
class TestAuthority {
  readonly asked: AuthorizationRequest[] = [];
  readonly timeoutMs: number;
  readonly patienceMs: number;
  answer: Answer;
  constructor(answer: Answer = allow, timeoutMs = 5_000, patienceMs = 600_000) {
    this.answer = answer;
    this.timeoutMs = timeoutMs;
    this.patienceMs = patienceMs;
  }
  readonly authorizer = {
    authorize: (request: AuthorizationRequest, signal: AbortSignal) => {
      this.asked.push(request);
      return this.answer(request, signal);
    },
  };
  /** Who was asked for at each fire, by item. */
  get fires(): string[] {
    return this.asked
      .filter(({ phase }) => phase === 'fire')
      .map(({ itemId, actor }) => `${itemId} ${actor.slice('human:'.length)}`)
      .sort();
  }
}

const allow: Answer = ({ actor }) => ({ verdict: 'allow', principal: actor, policy_ref: ref });
const deny = (reason: string): AuthorizerAnswer => ({
  verdict: 'deny',
  principal: 'account-7',
  policy_ref: ref,
  reason,
});
/** Denies one item in one phase. */
const denying =
  (item: string, phase: 'submit' | 'fire'): Answer =>
  (request) =>
    request.itemId === item && request.phase === phase ? deny(`not ${item}`) : allow(request);

const manifestsOf = async (rig: EngineRig, run: string) => {
  const fired = await eventsOf(rig, run, 'item.fired');
  return rig.deps.database.read(async (tx) => {
    const found: Manifest[] = [];
    for (const { data } of fired) {
      const { manifest_ref } = data as { manifest_ref: `sha256:${string}` };
      found.push(Manifest.parse(JSON.parse(await getDocument(tx, run, manifest_ref))));
    }
    return found;
  });
};

eachDatabase('who decides what may be done', (open) => {
  const start = engineStarter(open);

  it('DI-194: where nobody decides, every manifest says so', async () => {
    const rig = await start(new ScriptedExecutor());
    await submitAsAnn(rig, [command('a')]);
    expect(await rig.ended('r')).toBe('completed');
    const [manifest] = await manifestsOf(rig, 'r');
    expect(manifest?.authorization).toEqual({
      verdict: 'not-evaluated',
      principal: 'human:ann',
      effect: 'unknown',
      at: manifest?.fired_at,
    });
  });

  it('DI-194 DI-220: the decision about every attempt is sealed in its manifest, and every attempt is asked about', async () => {
    const authority = new TestAuthority((request) => ({
      ...(allow(request) as AuthorizerAnswer),
      on_behalf_of: 'human:zoe',
      reason: 'why not',
    }));
    const executor = new ScriptedExecutor(({ attempt }) =>
      attempt === 1 ? failed() : done({ product: { outputs: [{ path: 'x', ref, size: 1 }] } }),
    );
    const rig = await start(executor, { authority });
    await submitAsAnn(rig, [
      command('a', { shape: 'data.split', retry: { max_attempts: 2, backoff_ms: 0 } }),
    ]);
    expect(await rig.ended('r')).toBe('completed');
    expect(
      authority.asked.map(({ phase, itemId, actor, shape, effect }) => [phase, itemId, actor, shape, effect]),
    ).toEqual(['submit', 'fire', 'fire'].map((phase) => [phase, 'a', 'human:ann', 'data.split', 'pure']));
    const [first, second] = await manifestsOf(rig, 'r');
    expect([first?.attempt, second?.attempt]).toEqual([1, 2]);
    expect(second).toMatchObject({
      shape: { id: 'data.split', effect: 'pure' },
      authorization: {
        verdict: 'allow',
        principal: 'human:ann',
        on_behalf_of: 'human:zoe',
        policy_ref: ref,
        effect: 'pure',
        reason: 'why not',
      },
    });
    // The second attempt has a decision of its own.
    expect(second?.authorization?.at).toBeGreaterThanOrEqual(first?.fired_at ?? Number.POSITIVE_INFINITY);
  });

  it('DI-194: what is denied at submit is refused with every reason, and leaves nothing behind', async () => {
    const authority = new TestAuthority((request) =>
      /fix|never/.test(request.itemId) ? deny(`rule no-${request.itemId}`) : allow(request),
    );
    const rig = await start(new ScriptedExecutor(), { authority });
    const items = [
      command('code'),
      command('gate', {
        needs: { work: { from: 'code', select: { kind: 'patch' }, apply: true } },
        inputs: { gate: { onRed: 'spawn-fix', subject: 'code', fixTemplate: { command: 'true' } } },
      }),
      command('never'),
    ];
    await expect(submitAsAnn(rig, items)).rejects.toMatchObject({
      code: 'policy_denied',
      message: 'items[1].inputs.gate.fixTemplate: rule no-gate:gate.fixTemplate',
      next: 'change the plan, or ask whoever keeps the policy of this installation',
      issues: [
        { path: 'items[1].inputs.gate.fixTemplate', message: 'rule no-gate:gate.fixTemplate' },
        { path: 'items[2]', message: 'rule no-never' },
      ],
    });
    expect((await rig.ops.call(listRuns, {})).data).toEqual([]);
    // A rehearsal is told the same.
    await expect(rig.ops.call(submitPlan, { plan: { items }, dry_run: true }, ANN)).rejects.toMatchObject({
      code: 'policy_denied',
    });
  });

  it('DI-194 DI-170 DI-171: an item denied when it is to be fired ends denied on record, holds nothing, and what waits for it is skipped', async () => {
    const authority = new TestAuthority(denying('b', 'fire'));
    const executor = new ScriptedExecutor();
    const rig = await start(executor, { authority });
    const lock = { resourceLocks: ['db'] };
    await submitAsAnn(rig, [
      command('a', lock),
      command('b', { ...lock, depends_on: ['a'] }),
      command('c', { depends_on: ['b'] }),
      command('d', { ...lock, depends_on: ['a'] }),
    ]);
    expect(await rig.ended('r')).toBe('failed');
    expect(await statesOf(rig, 'r')).toEqual({ a: 'done', b: 'denied', c: 'skipped', d: 'done' });
    expect(executor.items).toEqual(['a', 'd']);
    const [denied] = await eventsOf(rig, 'r', 'item.denied');
    expect(denied?.data).toEqual({
      item: 'b',
      reason: 'not b',
      authorization: {
        verdict: 'deny',
        principal: 'account-7',
        policy_ref: ref,
        effect: 'unknown',
        at: expect.any(Number),
      },
    });
    const { items } = await rig.ops.call(getRun, { run: 'r' });
    expect(items[1]).toMatchObject({ state: 'denied', code: 'policy_denied', reason: 'not b' });
  });

  it('DI-194: a retry and a rerun are asked about anew', async () => {
    let fires = 0;
    const authority = new TestAuthority((request) =>
      request.phase === 'fire' && ++fires > 1 ? deny('only once') : allow(request),
    );
    const rig = await start(new ScriptedExecutor(() => failed()), { authority });
    await submitAsAnn(rig, [command('a', { retry: { max_attempts: 5, backoff_ms: 0 } })]);
    expect(await rig.ended('r')).toBe('failed');
    const { items } = await rig.ops.call(getRun, { run: 'r' });
    expect(items[0]).toMatchObject({ state: 'denied', attempt: 1 });
    authority.answer = denying('a', 'submit');
    const again = rig.ops.call(rerun, { run: 'r', run_id: 'again' }, BOB);
    await expect(again).rejects.toMatchObject({ code: 'policy_denied', message: 'items[0]: not a' });
    expect(authority.asked.at(-1)).toMatchObject({ actor: 'human:bob', runId: 'again' });
  });

  it('DI-194 DI-164: a call that is repeated gets its first answer, whatever is decided by then', async () => {
    const authority = new TestAuthority();
    const rig = await start(new ScriptedExecutor(), { authority });
    const plan = { items: [command('a')] };
    await submitAsAnn(rig, plan.items);
    expect(await rig.ended('r')).toBe('completed');
    const once = { ...ANN, idempotencyKey: 'once' };
    const submission = { plan };
    const calls: (() => Promise<object>)[] = [
      () => rig.ops.call(rerun, { run: 'r' }, once),
      () => rig.ops.call(rerun, { run: 'r', run_id: 'again' }, ANN),
      () => rig.ops.call(addSchedule, { name: 'daily', cron: '0 4 * * *', submission }, once),
      () => rig.ops.call(runScheduleNow, { name: 'daily' }, once),
    ];
    const first: object[] = [];
    for (const call of calls) first.push(await call());
    const asked = authority.asked.filter(({ phase }) => phase === 'submit').length;
    authority.answer = () => deny('not any more');
    for (const [i, call] of calls.entries()) expect(await call()).toEqual(first[i]);
    expect(authority.asked.filter(({ phase }) => phase === 'submit')).toHaveLength(asked);
    await expect(rig.ops.call(rerun, { run: 'r' }, ANN)).rejects.toMatchObject({ code: 'policy_denied' });
  });

  it('DI-204 DI-194: what a run grew is asked about like any other, in the name of whoever stated it', async () => {
    const authority = new TestAuthority();
    const executor = new ScriptedExecutor(({ itemId }) =>
      itemId === 'gate' ? undefined : done({ product: patch }),
    );
    const rig = await start(executor, { authority });
    await submitAsAnn(rig, [command('code')], { open_ended: true });
    const work = { work: { from: 'code', select: { kind: 'patch' }, apply: true } };
    const gate = { onRed: 'spawn-fix', subject: 'code', fixTemplate: { command: 'true' } };
    // Bob adds a gate, whose fix is his as well; what Cid adds behind it stays Cid's when it is repeated.
    const items = [command('gate', { needs: work, inputs: { gate } })];
    await rig.ops.call(extendRun, { run: 'r', items }, BOB);
    const behind = command('behind', { depends_on: ['gate'] });
    await rig.ops.call(extendRun, { run: 'r', items: [behind], close: true }, { actor: 'human:cid' });
    await expect.poll(() => executor.open.has('gate#1'), { timeout: 10_000 }).toBe(true);
    executor.open
      .get('gate#1')
      ?.end(done({ product: { ...patch, verify: { passed: false, report: 'red' } } }));
    expect(await rig.ended('r')).toBe('completed');
    expect(authority.fires).toEqual(['behind~2 cid', 'code ann', 'gate bob', 'gate-fix-1 bob', 'gate~2 bob']);
    expect(
      authority.asked.filter(({ phase }) => phase === 'submit').map(({ itemId, actor }) => [itemId, actor]),
    ).toEqual([
      ['code', 'human:ann'],
      ['gate', 'human:bob'],
      ['gate:gate.fixTemplate', 'human:bob'],
      ['behind', 'human:cid'],
    ]);
    const extended = await eventsOf(rig, 'r', 'run.extended');
    expect(extended.map(({ data }) => (data as { actor: string }).actor)).toEqual([
      'human:bob',
      'human:cid',
      'human:bob',
    ]);
  });

  it('DI-194: nobody may be asked from inside a unit of work: an authorizer can use the database', async () => {
    const database = await open({ migrations });
    const authority = new TestAuthority(async (request) => {
      await database.write((tx) => tx.sql.run('DELETE FROM plan_items WHERE run_id = ?', ['nothing']));
      return allow(request);
    });
    const rig = await start(new ScriptedExecutor(), { authority, database });
    await submitAsAnn(rig, [command('a'), command('b')]);
    expect(await rig.ended('r')).toBe('completed');
  });

  it('DI-194 DI-178: an authorizer that fails or does not answer fails its item alone, after its patience, and is named', async () => {
    const never = new Promise<never>(() => {});
    const answers: Record<string, () => AuthorizerAnswer | Promise<AuthorizerAnswer>> = {
      throws: () => {
        throw new Error('https://user:canary@policy.example');
      },
      hangs: () => never,
      mumbles: () => ({ verdict: 'maybe' }) as never,
      floods: () => ({ verdict: 'allow', principal: 'x'.repeat(100_000) }),
    };
    const authority = new TestAuthority(allow, 100, 500);
    authority.answer = (request) =>
      (request.phase === 'fire' && answers[request.itemId]?.()) || allow(request);
    const executor = new ScriptedExecutor();
    const rig = await start(executor, { authority });
    const bad = Object.keys(answers);
    await submitAsAnn(rig, [...bad.map((id) => command(id)), command('good')]);
    expect(await rig.ended('r')).toBe('failed');
    expect(executor.items).toEqual(['good']);
    for (const id of bad) expect(authority.fires.filter((each) => each === `${id} ann`)).toHaveLength(2);
    const { items } = await rig.ops.call(getRun, { run: 'r' });
    const reasons = Object.fromEntries(items.map(({ id, reason }) => [id, reason]));
    expect(items.map(({ state, code }) => `${state} ${code}`)).toEqual([
      ...bad.map(() => 'failed upstream_failed'),
      'done undefined',
    ]);
    expect(reasons['throws']).toBe('nobody decided whether it may be done: Error');
    expect(reasons['hangs']).toContain('the authorizer did not answer within 100 ms');
    expect(reasons['mumbles']).toContain('an answer that is none');
    expect(JSON.stringify(items)).not.toContain('canary');
    expect(
      (await eventsOf(rig, 'r', 'item.failed')).map(({ data }) => (data as { item: string }).item).sort(),
    ).toEqual(bad.toSorted());
  });

  it('DI-194: items that nobody can decide about keep no other waiting, however many they are', async () => {
    const authority = new TestAuthority(
      (request) =>
        request.phase === 'fire' && request.itemId !== 'good' ? new Promise<never>(() => {}) : allow(request),
      200,
    );
    const executor = new ScriptedExecutor();
    const rig = await start(executor, { authority });
    const many = Array.from({ length: limits.authorizeAtOnce + 5 }, (_, i) => command(`stuck-${i}`));
    await submitAsAnn(rig, [...many, command('good')]);
    await expect.poll(() => executor.items, { timeout: 20_000 }).toEqual(['good']);
    await rig.ops.call(cancelRun, { run: 'r' });
    expect(await rig.ended('r')).toBe('canceled');
  });

  it('DI-194: an authorizer that was away lets the item go on, which has used up no attempt, and its trouble is over', async () => {
    let asked = 0;
    const back = Promise.withResolvers<void>();
    const authority = new TestAuthority(async (request) => {
      if (request.phase === 'fire' && ++asked === 1) throw new Error('away');
      if (request.phase === 'fire') await back.promise;
      return allow(request);
    }, 60_000);
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(executor, { authority });
    await submitAsAnn(rig, [command('a', { retry: { max_attempts: 1 } })]);
    const trouble = async () => (await rig.ops.call(getRun, { run: 'r' })).items[0]?.trouble;
    await expect.poll(trouble, { timeout: 10_000 }).toBeDefined();
    back.resolve();
    await expect.poll(() => executor.items, { timeout: 10_000 }).toEqual(['a']);
    await expect.poll(trouble, { timeout: 10_000 }).toBeUndefined();
    executor.open.get('a#1')?.end(done());
    expect(await rig.ended('r')).toBe('completed');
  });

  it('DI-194: nobody goes on asking about an item that was canceled, a run at rest, or for an engine that stopped', async () => {
    const signals = new Map<string, AbortSignal>();
    const authority = new TestAuthority((request, signal) => {
      if (request.phase === 'submit' || signal === undefined) return allow(request);
      signals.set(request.itemId, signal);
      return new Promise<never>(() => {});
    }, 600_000);
    const database = await open({ migrations });
    const rig = await start(new ScriptedExecutor(), { authority, database });
    await submitAsAnn(rig, [command('a'), command('b')]);
    await expect.poll(() => signals.size, { timeout: 10_000 }).toBe(2);
    const isStopped = (item: string) => signals.get(item)?.aborted;
    await rig.ops.call(cancelRun, { run: 'r', item: 'a' });
    await expect.poll(() => isStopped('a'), { timeout: 10_000 }).toBe(true);
    expect(isStopped('b')).toBe(false);
    await rig.ops.call(pauseRun, { run: 'r' });
    await expect.poll(() => isStopped('b'), { timeout: 10_000 }).toBe(true);
    await rig.ops.call(resumeRun, { run: 'r' });
    await expect.poll(() => isStopped('b'), { timeout: 10_000 }).toBe(false);
    await rig.stop();
    expect(isStopped('b')).toBe(true);
    expect(await database.read((tx) => tx.sql.all('SELECT * FROM run_troubles'))).toEqual([]);
  });

  it('DI-194: the runs of an engine together ask no more at once than one may', async () => {
    let [active, most] = [0, 0];
    const answers = Promise.withResolvers<void>();
    const authority = new TestAuthority(async (request) => {
      if (request.phase === 'submit') return allow(request);
      most = Math.max(most, ++active);
      await answers.promise;
      active--;
      return allow(request);
    }, 600_000);
    const rig = await start(new ScriptedExecutor(), { authority, concurrency: 1_000 });
    const items = Array.from({ length: limits.authorizeAtOnce - 20 }, (_, i) => command(`i${i}`));
    for (const run_id of ['r', 's']) await rig.ops.call(submitPlan, { run_id, plan: { items } }, ANN);
    await expect.poll(() => active, { timeout: 10_000 }).toBe(limits.authorizeAtOnce);
    answers.resolve();
    expect(await Promise.all([rig.ended('r'), rig.ended('s')])).toEqual(['completed', 'completed']);
    expect(most).toBe(limits.authorizeAtOnce);
  });

  it('DI-194 DI-171: items about which asking fails claim no slot of the queue', async () => {
    const authority = new TestAuthority((request) => {
      if (request.phase === 'fire' && request.runId === 'r') throw new Error('away');
      return allow(request);
    });
    const database = await open({ migrations });
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(executor, { authority, database, concurrency: 1 });
    const items = ['a', 'b', 'c'].map((id) => command(id));
    await submitAsAnn(rig, items);
    await expect.poll(() => authority.fires.length, { timeout: 10_000 }).toBe(items.length);
    await rig.ops.call(submitPlan, { run_id: 's', plan: { items: [command('x')] } }, ANN);
    await expect.poll(() => executor.items, { timeout: 10_000 }).toEqual(['x']);
    const twiceAgain = 3 * items.length + 1;
    await expect.poll(() => authority.fires.length, { timeout: 10_000 }).toBe(twiceAgain);
    const claims = await database.read((tx) =>
      tx.sql.all<{ wants: number }>("SELECT wants FROM queue_usage WHERE run_id = 'r'"),
    );
    expect(claims.filter(({ wants }) => wants > 0)).toEqual([]);
    await rig.ops.call(cancelRun, { run: 'r' });
    expect(await rig.ended('r')).toBe('canceled');
  });

  it('DI-194: a submission is refused while nobody can decide about it', async () => {
    const authority = new TestAuthority(() => new Promise<never>(() => {}), 50);
    const rig = await start(new ScriptedExecutor(), { authority });
    await expect(submitAsAnn(rig, [command('a')])).rejects.toMatchObject({
      code: 'upstream_failed',
      message: 'the authorizer did not answer within 50 ms',
    });
    expect((await rig.ops.call(listRuns, {})).data).toEqual([]);
  });

  it('DI-177 DI-194: what was decided and not fired before an engine went is decided again by the next one', async () => {
    const database = await open({ migrations });
    const gone = Promise.withResolvers<AuthorizerAnswer>();
    const first = new TestAuthority((request) => (request.phase === 'fire' ? gone.promise : allow(request)));
    const before = new ScriptedExecutor();
    const rig = await start(before, { authority: first, database });
    await submitAsAnn(rig, [command('a')]);
    await expect.poll(() => first.fires, { timeout: 10_000 }).toEqual(['a ann']);
    const stopped = rig.engine.stop();
    gone.resolve({ verdict: 'allow', principal: 'human:ann' });
    await stopped;
    const second = new TestAuthority(denying('a', 'fire'));
    const after = new ScriptedExecutor();
    const next = await start(after, { authority: second, database });
    expect(await next.ended('r')).toBe('failed');
    expect([before.items, after.items]).toEqual([[], []]);
    expect(await statesOf(next, 'r')).toEqual({ a: 'denied' });
  });
});
