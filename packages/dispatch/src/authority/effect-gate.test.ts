import {
  contentHash,
  decideRequest,
  extendRun,
  getRun,
  listEvents,
  listRequests,
  Manifest,
  rerun,
  submitPlan,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { getDocument, resolveRun } from '@palisade/runs';
import { expect, it } from 'vitest';
import {
  command,
  done,
  type EngineRig,
  engineStarter,
  failed,
  ScriptedExecutor,
  statesOf,
} from '../../test/engine-rig.ts';
import { ANN, approvalItem, BOB, openRequests, submitAsAnn } from '../../test/people.ts';
import type { Authority } from './authorize-items.ts';
import { DECIDED, UNAPPROVED } from './effect-gate.ts';
import { readPlan } from '../plans/stored-plan.ts';

const patch = { result_ref: contentHash('patch') };
const gate = (id: string, more: object = {}, approval: object = {}) => approvalItem(id, approval, more);
const writer = (id: string, more: object = {}) => command(id, { shape: 'dev.code-edit', ...more });
const blobs = { get: async () => Buffer.alloc(0), put: async () => ({}) } as never;

/** Allows what is named, and says of nothing else that it judged it. */
const allowing = (...items: string[]): Authority => ({
  timeoutMs: 5_000,
  patienceMs: 60_000,
  authorizer: {
    authorize: ({ actor, itemId }) => ({
      verdict: items.includes(itemId) ? 'allow' : 'not-evaluated',
      principal: actor,
    }),
  },
});

eachDatabase('what writes', (open) => {
  const engines = engineStarter(open);
  const start = (options: Parameters<typeof engines>[1] = {}, executor = new ScriptedExecutor()) =>
    engines(executor, { deps: { blobs }, ...options });
  const authorizationOf = async (rig: EngineRig, item: string) => {
    const { items } = await rig.ops.call(getRun, { run: 'r' });
    const manifest = items.find(({ id }) => id === item)?.manifest_ref;
    if (manifest === undefined) return undefined;
    const text = await rig.deps.database.read((tx) => getDocument(tx, 'r', manifest));
    return Manifest.parse(JSON.parse(text)).authorization;
  };

  it('DI-193: what writes and could never get a yes is refused at submit, and when it is added', async () => {
    const rig = await start();
    const refused = (items: readonly object[]) =>
      submitAsAnn(rig, items).then(
        () => [],
        ({ code, issues }) => [code, ...issues.map(({ path }: { path: string }) => path)],
      );
    const work = { from: 'a', select: { kind: 'patch' } };
    expect(await refused([writer('a')])).toEqual(['policy_denied', 'items[0]']);
    // An approval further up may have been about something else.
    expect(
      await refused([gate('g'), command('x', { depends_on: ['g'] }), writer('a', { depends_on: ['x'] })]),
    ).toEqual(['policy_denied', 'items[2]']);
    expect(
      await refused([
        command('a'),
        command('t', {
          needs: { work: { ...work, apply: true } },
          inputs: {
            gate: {
              onRed: 'spawn-fix',
              subject: 'a',
              fixTemplate: { command: 'true', shape: 'dev.code-edit' },
            },
          },
        }),
      ]),
    ).toEqual(['policy_denied', 'items[1].inputs.gate.fixTemplate']);
    await submitAsAnn(rig, [gate('g')], { open_ended: true });
    const add = (item: object) => rig.ops.call(extendRun, { run: 'r', items: [item] }, ANN);
    await expect(add(writer('w'))).rejects.toMatchObject({
      code: 'policy_denied',
      message: `items[0]: ${UNAPPROVED}`,
    });
    expect((await add(writer('w', { depends_on: ['g'] }))).added).toEqual(['w']);
  });

  it('DI-193: what writes goes on with the approval of a person right before it, which its manifest names', async () => {
    const executor = new ScriptedExecutor(() => done({ product: patch }));
    const rig = await start({}, executor);
    await submitAsAnn(rig, [gate('g'), writer('w', { depends_on: ['g'] })]);
    await openRequests(rig);
    expect(executor.items).toEqual([]);
    await rig.ops.call(decideRequest, { run: 'r', item: 'g', decision: 'approve' }, BOB);
    expect(await rig.ended('r')).toBe('completed');
    expect(await authorizationOf(rig, 'w')).toMatchObject({
      verdict: 'not-evaluated',
      effect: 'write-impure',
      approved_by: 'g',
    });
  });

  it('DI-193: that nobody decided in time lets nothing write, whatever the plan makes of it', async () => {
    const executor = new ScriptedExecutor();
    const rig = await start({}, executor);
    await submitAsAnn(rig, [
      gate('g', {}, { expires_seconds: 1, on_expiry: 'approve' }),
      writer('w', { depends_on: ['g'] }),
      command('x', { depends_on: ['g'] }),
    ]);
    expect(await rig.ended('r')).toBe('failed');
    expect(await statesOf(rig, 'r')).toEqual({ g: 'done', w: 'denied', x: 'done' });
    expect(executor.items).toEqual(['x']);
    const { data } = await rig.ops.call(listEvents, { run: 'r' });
    expect(data.find(({ type }) => type === 'item.denied')?.data).toMatchObject({
      item: 'w',
      reason: UNAPPROVED,
      authorization: { verdict: 'not-evaluated', effect: 'write-impure' },
    });
  });

  it('DI-193: a denied approval that an item does not wait for is no yes either', async () => {
    const executor = new ScriptedExecutor();
    const rig = await start({}, executor);
    const anyhow = { start_when: 'dependencies_ended' };
    await submitAsAnn(rig, [gate('g'), writer('w', { depends_on: ['g'], ...anyhow })]);
    await openRequests(rig);
    await rig.ops.call(decideRequest, { run: 'r', item: 'g', decision: 'deny' }, BOB);
    expect(await rig.ended('r')).toBe('failed');
    expect(await statesOf(rig, 'r')).toEqual({ g: 'denied', w: 'denied' });
    expect(executor.items).toEqual([]);
  });

  it('DI-193 DI-205: an approval is about what was there when it was decided, and lets nothing write that is added later', async () => {
    const executor = new ScriptedExecutor(() => done({ product: patch }));
    const rig = await start({}, executor);
    const add = (items: readonly object[], more: object = {}) =>
      rig.ops.call(extendRun, { run: 'r', items: [...items], ...more }, { actor: 'human:eve' });
    const behind = (...ids: string[]) => ({ depends_on: ids });
    await submitAsAnn(rig, [gate('g'), gate('open')], { open_ended: true });
    await openRequests(rig);
    const early = writer('early', behind('g'));
    await add([early]);
    await rig.ops.call(decideRequest, { run: 'r', item: 'g', decision: 'approve' }, BOB);
    const refused = {
      code: 'policy_denied',
      issues: [{ path: 'items[1]', message: DECIDED }],
    };
    const late = [command('a'), writer('late', behind('g', 'a'))];
    await expect(add(late)).rejects.toMatchObject(refused);
    await expect(add(late, { dry_run: true })).rejects.toMatchObject(refused);
    // What is there already is no addition, and what rests on another approval waits for that one.
    expect((await add([early])).already).toEqual(['early']);
    const anyhow = { start_when: 'dependencies_ended' };
    await add([
      gate('own'),
      writer('good', behind('g', 'own')),
      writer('bad', { ...behind('g', 'open'), ...anyhow }),
    ]);
    await expect
      .poll(async () => (await rig.ops.call(listRequests, { run: 'r' })).data.length, { timeout: 10_000 })
      .toBe(2);
    await rig.ops.call(decideRequest, { run: 'r', item: 'own', decision: 'approve' }, BOB);
    await rig.ops.call(decideRequest, { run: 'r', item: 'open', decision: 'deny' }, BOB);
    await rig.ops.call(extendRun, { run: 'r', close: true }, ANN);
    expect(await rig.ended('r')).toBe('failed');
    expect(await statesOf(rig, 'r')).toMatchObject({ early: 'done', good: 'done', bad: 'denied' });
    expect((await authorizationOf(rig, 'early'))?.approved_by).toBe('g');
    expect((await authorizationOf(rig, 'good'))?.approved_by).toBe('own');
  });

  it('DI-193 DI-194: what an authorizer allows may be added behind an approval that is decided', async () => {
    const rig = await start(
      { authority: allowing('w') },
      new ScriptedExecutor(() => done({ product: patch })),
    );
    await submitAsAnn(rig, [gate('g')], { open_ended: true });
    await openRequests(rig);
    await rig.ops.call(decideRequest, { run: 'r', item: 'g', decision: 'approve' }, BOB);
    const items = [writer('w', { depends_on: ['g'] })];
    await rig.ops.call(extendRun, { run: 'r', items, close: true }, ANN);
    expect(await rig.ended('r')).toBe('completed');
  });

  it('DI-193 DI-192: a rerun of what failed makes no approval one of what writes that was none before', async () => {
    let isBroken = true;
    const executor = new ScriptedExecutor(({ itemId }) =>
      itemId.startsWith('w') && isBroken ? failed({ retryable: false }) : done({ product: patch }),
    );
    const rig = await start({ authority: allowing('w') }, executor);
    await submitAsAnn(rig, [
      gate('g'),
      command('x', { depends_on: ['g'] }),
      command('y', { depends_on: ['x'] }),
      writer('w', { depends_on: ['y'] }),
      writer('w-own', { depends_on: ['g', 'y'] }),
    ]);
    await openRequests(rig);
    await rig.ops.call(decideRequest, { run: 'r', item: 'g', decision: 'approve' }, BOB);
    expect(await rig.ended('r')).toBe('failed');
    isBroken = false;
    await rig.ops.call(rerun, { run: 'r', only_failed: true, run_id: 'again' }, ANN);
    const plan = await rig.deps.database.read(async (tx) =>
      readPlan(tx, await resolveRun(tx, 'default', 'again')),
    );
    expect(plan.items.map(({ id, dependsOn }) => [id, dependsOn])).toEqual([
      ['g', []],
      ['y', ['g']],
      ['w', ['y']],
      ['w-own', ['g', 'y']],
    ]);
  });

  it('DI-193 DI-201: what is repeated after a fix rests on the approvals of what it repeats, which was there', async () => {
    const executor = new ScriptedExecutor(({ itemId }) =>
      itemId === 't' ? undefined : done({ product: patch }),
    );
    const rig = await start({}, executor);
    const work = { work: { from: 'a', select: { kind: 'patch' }, apply: true } };
    const fix = { onRed: 'spawn-fix', subject: 'a', fixTemplate: { command: 'true' } };
    await submitAsAnn(rig, [
      command('a'),
      gate('g'),
      command('t', { needs: work, inputs: { gate: fix } }),
      writer('w', { depends_on: ['g', 't'] }),
    ]);
    await openRequests(rig);
    await rig.ops.call(decideRequest, { run: 'r', item: 'g', decision: 'approve' }, BOB);
    await expect.poll(() => executor.open.has('t#1'), { timeout: 10_000 }).toBe(true);
    executor.open.get('t#1')?.end(done({ product: { ...patch, verify: { passed: false, report: 'red' } } }));
    expect(await rig.ended('r')).toBe('completed');
    expect((await authorizationOf(rig, 'w~2'))?.approved_by).toBe('g');
  });

  it('DI-193 DI-201: what a gate that was added later has repeated writes nothing by the approval of before', async () => {
    const executor = new ScriptedExecutor(({ itemId }) =>
      done({
        product: { ...patch, ...(itemId === 't' ? { verify: { passed: false, report: 'red' } } : {}) },
      }),
    );
    const rig = await start({}, executor);
    const work = { work: { from: 'a', select: { kind: 'patch' }, apply: true } };
    const items = [command('a'), gate('g'), writer('w', { needs: work, depends_on: ['g'] })];
    await submitAsAnn(rig, items, { open_ended: true });
    await openRequests(rig);
    await rig.ops.call(decideRequest, { run: 'r', item: 'g', decision: 'approve' }, BOB);
    const fix = { onRed: 'spawn-fix', subject: 'a', fixTemplate: { command: 'true' } };
    const t = command('t', { needs: work, depends_on: ['w'], inputs: { gate: fix } });
    await rig.ops.call(extendRun, { run: 'r', items: [t], close: true }, { actor: 'human:eve' });
    expect(await rig.ended('r')).toBe('failed');
    expect(await statesOf(rig, 'r')).toMatchObject({ w: 'done', 't-fix-1': 'done', 'w~2': 'denied' });
  });

  it('DI-193 DI-194: an authorizer that allows it lets it write without anybody else', async () => {
    const executor = new ScriptedExecutor(() => done({ product: patch }));
    const rig = await start({ authority: allowing('w') }, executor);
    await submitAsAnn(rig, [writer('w')]);
    expect(await rig.ended('r')).toBe('completed');
    expect(await authorizationOf(rig, 'w')).toMatchObject({ verdict: 'allow', effect: 'write-impure' });
    expect(await authorizationOf(rig, 'w')).not.toHaveProperty('approved_by');
    await expect(rig.ops.call(submitPlan, { plan: { items: [writer('other')] } }, ANN)).rejects.toMatchObject(
      { code: 'policy_denied' },
    );
  });
});
