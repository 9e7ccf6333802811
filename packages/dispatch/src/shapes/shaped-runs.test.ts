import {
  contentHash,
  decideRequest,
  extendRun,
  getRun,
  listEvents,
  listRequests,
  Manifest,
  submitPlan,
  validatePlan,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { getDocument } from '@palisade/runs';
import { expect, it } from 'vitest';
import {
  command,
  done,
  type EngineRig,
  engineStarter,
  ScriptedExecutor,
  statesOf,
} from '../../test/engine-rig.ts';
import type { Authority } from '../authority/authorize-items.ts';
import { UNAPPROVED } from '../authority/effect-gate.ts';
import { heldToResult } from './held-to-result.ts';
import { ShapeCatalogue } from './shape-catalogue.ts';

const ref = contentHash('{"score":"high"}');
const patch = { result_ref: contentHash('patch') };
const ANN = { actor: 'human:ann' };
const BOB = { actor: 'human:bob' };
const gate = (id: string, more: object = {}, approval: object = {}) => ({
  id,
  executor: 'approval',
  approval: { prompt: 'Write?', ...approval },
  ...more,
});
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

eachDatabase('shapes of items', (open) => {
  const engines = engineStarter(open);
  const start = (options: Parameters<typeof engines>[1] = {}, executor = new ScriptedExecutor()) =>
    engines(executor, { deps: { blobs }, ...options });
  const submit = (rig: EngineRig, items: readonly object[], more: object = {}) =>
    rig.ops.call(submitPlan, { run_id: 'r', plan: { items, ...more } }, ANN);
  const asked = (rig: EngineRig) =>
    expect
      .poll(async () => (await rig.ops.call(listRequests, { run: 'r' })).data.length, { timeout: 10_000 })
      .toBeGreaterThan(0);
  const authorizationOf = async (rig: EngineRig, item: string) => {
    const { items } = await rig.ops.call(getRun, { run: 'r' });
    const manifest = items.find(({ id }) => id === item)?.manifest_ref;
    if (manifest === undefined) return undefined;
    const text = await rig.deps.database.read((tx) => getDocument(tx, 'r', manifest));
    return Manifest.parse(JSON.parse(text)).authorization;
  };

  it('DI-193: a plan can name shapes of packs that were brought along, and their result is held against their schema', async () => {
    const shapes = new ShapeCatalogue([
      [
        {
          id: 'house.score',
          effect: 'pure',
          permissions: { network: false, model: false, patch: false, outputs: true },
          result: { type: 'object', properties: { score: { type: 'integer' } }, required: ['score'] },
        },
      ],
    ]);
    const read = { get: async () => Buffer.from('{"score":"high"}') };
    const executor = new ScriptedExecutor(() =>
      done({ product: { outputs: [{ path: 'result.json', ref, size: 16 }] } }),
    );
    const rig = await start(
      { deps: { blobs, shapes }, judge: (item, end) => heldToResult(read, item.shape, end) },
      executor,
    );
    const item = command('a', { shape: 'house.score', retry: { max_attempts: 2, backoff_ms: 0 } });
    const misspelt = { items: [{ ...item, shape: 'house.scor' }] };
    const { issues } = await rig.ops.call(validatePlan, { plan: misspelt });
    expect(issues[0]?.message).toBe('unknown shape "house.scor" (did you mean "house.score"?)');
    await submit(rig, [item, command('b', { depends_on: ['a'] })]);
    expect(await rig.ended('r')).toBe('failed');
    expect(executor.started.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(executor.started[0]?.neededOutputs).toEqual(['result.json']);
    const { items } = await rig.ops.call(getRun, { run: 'r' });
    expect(items[0]).toMatchObject({ state: 'failed', code: 'shape_violated' });
    expect(items[0]?.reason).toContain('does not fit at score');
    expect(items[0]?.product?.outputs).toHaveLength(1);
    expect(items[1]?.state).toBe('skipped');
  });

  it('DI-193: what writes and could never get a yes is refused at submit, and when it is added', async () => {
    const rig = await start();
    const refused = (items: readonly object[]) =>
      submit(rig, items).then(
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
    await submit(rig, [gate('g')], { open_ended: true });
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
    await submit(rig, [gate('g'), writer('w', { depends_on: ['g'] })]);
    await asked(rig);
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
    await submit(rig, [
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
    await submit(rig, [gate('g'), writer('w', { depends_on: ['g'], ...anyhow })]);
    await asked(rig);
    await rig.ops.call(decideRequest, { run: 'r', item: 'g', decision: 'deny' }, BOB);
    expect(await rig.ended('r')).toBe('failed');
    expect(await statesOf(rig, 'r')).toEqual({ g: 'denied', w: 'denied' });
    expect(executor.items).toEqual([]);
  });

  it('DI-193 DI-194: an authorizer that allows it lets it write without anybody else', async () => {
    const executor = new ScriptedExecutor(() => done({ product: patch }));
    const rig = await start({ authority: allowing('w') }, executor);
    await submit(rig, [writer('w')]);
    expect(await rig.ended('r')).toBe('completed');
    expect(await authorizationOf(rig, 'w')).toMatchObject({ verdict: 'allow', effect: 'write-impure' });
    expect(await authorizationOf(rig, 'w')).not.toHaveProperty('approved_by');
    await expect(rig.ops.call(submitPlan, { plan: { items: [writer('other')] } }, ANN)).rejects.toMatchObject(
      { code: 'policy_denied' },
    );
  });
});
