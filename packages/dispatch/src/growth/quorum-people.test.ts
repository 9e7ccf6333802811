import {
  contentHash,
  decideRequest,
  extendRun,
  getRun,
  listEvents,
  listRequests,
  Manifest,
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
import { ANN, BOB, submitAsAnn } from '../../test/people.ts';

const CID = { actor: 'human:cid' };
const patch = { result_ref: contentHash('patch') };
const person = (more: object = {}) => ({
  title: 'Maintainer',
  executor: 'approval',
  approval: { prompt: 'Is it good?', ...more },
});
const program = { command: 'true' };
const change = (quorum: object) => command('change', { inputs: { quorum } });

eachDatabase('people among reviewers', (open) => {
  const engines = engineStarter(open);
  const blobs = { get: async () => Buffer.alloc(0), put: async () => ({}) } as never;
  const start = (executor = new ScriptedExecutor(() => done({ product: patch }))) =>
    engines(executor, { deps: { blobs } });
  const openRequests = async (rig: EngineRig) =>
    (await rig.ops.call(listRequests, { run: 'r' })).data.map(({ item }) => item).sort();
  const asked = (rig: EngineRig, ...items: string[]) =>
    expect.poll(() => openRequests(rig), { timeout: 10_000 }).toEqual(items);
  const decide = (rig: EngineRig, item: string, decision: 'approve' | 'deny', who: object) =>
    rig.ops.call(decideRequest, { run: 'r', item, decision }, who);

  it('DI-203 DI-193: a person is shown the patch, is not whoever started the run, and their yes lets the commit write', async () => {
    const rig = await start();
    await submitAsAnn(rig, [
      change({
        reviewers: [program, person()],
        threshold: 1,
        commit: { ...program, shape: 'dev.code-edit' },
      }),
    ]);
    await asked(rig, 'change::rev-2');
    const [request] = (await rig.ops.call(listRequests, { run: 'r' })).data;
    expect(request).toMatchObject({
      text: 'Is it good?',
      inputs: [{ key: 'work', from: 'change', ref: patch.result_ref }],
    });
    // One program is enough for the threshold, and no program is a person.
    await expect.poll(async () => (await statesOf(rig, 'r'))['change::rev-1']).toBe('done');
    expect(await statesOf(rig, 'r')).not.toHaveProperty('change::commit');
    await expect(decide(rig, 'change::rev-2', 'approve', ANN)).rejects.toMatchObject({
      code: 'policy_denied',
      message: 'r/change::rev-2 needs a second person: human:ann started the run',
    });
    await decide(rig, 'change::rev-2', 'approve', BOB);
    expect(await rig.ended('r')).toBe('completed');
    const { items } = await rig.ops.call(getRun, { run: 'r' });
    const ref = items.find(({ id }) => id === 'change::commit')?.manifest_ref ?? patch.result_ref;
    const text = await rig.deps.database.read((tx) => getDocument(tx, 'r', ref));
    const manifest = Manifest.parse(JSON.parse(text));
    expect(manifest.authorization?.approved_by).toBe('change::rev-2');
    expect(manifest.inputs.map(({ key }) => key)).toEqual(['work', 'approval-2']);
  });

  it('DI-203 DI-193: a commit that writes is denied where programs alone approved it', async () => {
    const rig = await start();
    const writes = { ...program, shape: 'dev.code-edit' };
    await expect(
      submitAsAnn(rig, [change({ reviewers: [program], threshold: 1, commit: writes })]),
    ).rejects.toMatchObject({
      code: 'policy_denied',
      issues: [{ path: 'items[0].inputs.quorum.commit' }],
    });
  });

  it('DI-203 DI-193: that somebody approved the work which another denied lets its fix not write', async () => {
    const executor = new ScriptedExecutor(() => done({ product: patch }));
    const allowed = ['change', 'change:quorum.fixTemplate'];
    const authorizer = {
      authorize: ({ actor, itemId }: { readonly actor: string; readonly itemId: string }) => ({
        verdict: allowed.includes(itemId) ? ('allow' as const) : ('not-evaluated' as const),
        principal: actor,
      }),
    };
    const rig = await engines(executor, {
      deps: { blobs },
      authority: { authorizer, timeoutMs: 5_000, patienceMs: 60_000 },
    });
    const fixTemplate = { ...program, shape: 'dev.code-edit' };
    const reviewers = [person(), person()];
    await submitAsAnn(rig, [change({ reviewers, threshold: 2, onReject: 'spawn-fix', fixTemplate })]);
    await asked(rig, 'change::rev-1', 'change::rev-2');
    await decide(rig, 'change::rev-1', 'approve', BOB);
    await decide(rig, 'change::rev-2', 'deny', CID);
    expect(await rig.ended('r')).toBe('failed');
    expect(executor.items).toEqual(['change']);
    expect((await statesOf(rig, 'r'))['change-fix-1']).toBe('denied');
  });

  it('DI-203: two places are for two people', async () => {
    const rig = await start();
    await submitAsAnn(rig, [change({ reviewers: [person(), person({ four_eyes: false })], threshold: 2 })]);
    await asked(rig, 'change::rev-1', 'change::rev-2');
    await decide(rig, 'change::rev-1', 'approve', BOB);
    await expect(decide(rig, 'change::rev-2', 'approve', BOB)).rejects.toMatchObject({
      code: 'policy_denied',
    });
    // This place may be that of whoever started the run: the plan says so.
    await decide(rig, 'change::rev-2', 'approve', ANN);
    expect(await rig.ended('r')).toBe('completed');
  });

  it('DI-203: nobody is asked any more when programs have decided, and the evidence of that holds', async () => {
    const executor = new ScriptedExecutor(({ itemId }) =>
      itemId === 'change::rev-1' ? undefined : done({ product: patch }),
    );
    const rig = await start(executor);
    await submitAsAnn(rig, [change({ reviewers: [program, person(), person()], threshold: 3 })]);
    await asked(rig, 'change::rev-2', 'change::rev-3');
    await decide(rig, 'change::rev-2', 'approve', BOB);
    await expect.poll(async () => (await statesOf(rig, 'r'))['change::rev-2']).toBe('done');
    executor.open
      .get('change::rev-1#1')
      ?.end(done({ product: { verify: { passed: false, report: 'bad' } } }));
    expect(await rig.ended('r')).toBe('failed');
    expect(await statesOf(rig, 'r')).toMatchObject({
      'change::rev-1': 'done',
      'change::rev-2': 'done',
      'change::rev-3': 'canceled',
    });
    expect(await openRequests(rig)).toEqual([]);
    await expect(decide(rig, 'change::rev-3', 'approve', CID)).rejects.toMatchObject({
      code: 'invalid_state',
    });
    const { run } = await rig.ops.call(getRun, { run: 'r' });
    expect(run.reason).toBe('1 of 3 reviewers approved change, and 3 have to');
  });

  it("DI-203: a person's denial ends the round at once, and the fix is told what they said", async () => {
    const rig = await start();
    const quorum = {
      reviewers: [program, person()],
      threshold: 2,
      onReject: 'spawn-fix',
      fixTemplate: program,
    };
    await submitAsAnn(rig, [change(quorum)]);
    await asked(rig, 'change::rev-2');
    await rig.ops.call(
      decideRequest,
      { run: 'r', item: 'change::rev-2', decision: 'deny', reason: 'no tests' },
      BOB,
    );
    await asked(rig, 'change-fix-1::rev-2');
    await decide(rig, 'change-fix-1::rev-2', 'approve', BOB);
    expect(await rig.ended('r')).toBe('completed');
    expect(await statesOf(rig, 'r')).toMatchObject({
      'change::rev-2': 'denied',
      'change-fix-1': 'done',
      'change-fix-1::rev-2': 'done',
    });
  });

  it('DI-203: a place of a person is one: it runs nothing, and silence does not fill it', async () => {
    const rig = await start();
    const issuesOf = async (reviewer: object) =>
      (
        await rig.ops.call(validatePlan, {
          plan: { items: [change({ reviewers: [reviewer], threshold: 1 })] },
        })
      ).issues.map(({ path }) => path.slice('items[0].inputs.quorum.reviewers[0].'.length));
    expect(await issuesOf(person())).toEqual([]);
    expect(await issuesOf({ ...person(), command: 'true', verify: { command: 'true' } })).toEqual([
      'command',
      'verify',
    ]);
    expect(await issuesOf({ ...program, approval: { prompt: 'x' } })).toEqual(['executor']);
    expect(await issuesOf({ executor: 'approval' })).toEqual(['approval']);
    expect(await issuesOf(person({ expires_seconds: 9, on_expiry: 'approve', four_eyes: false }))).toEqual([
      'approval.on_expiry',
    ]);
    expect(await issuesOf(person({ distinct_from: ['change'] }))).toEqual(['approval.distinct_from[0]']);
  });

  it('DI-203: whoever adds to a run is no second person, and a second person adds nothing to it', async () => {
    const rig = await start();
    const gate = { id: 'gate', ...person({ four_eyes: true }), depends_on: ['a'] };
    await submitAsAnn(rig, [command('a'), gate], { open_ended: true });
    await rig.ops.call(extendRun, { run: 'r', items: [command('b')] }, BOB);
    await asked(rig, 'gate');
    await expect(decide(rig, 'gate', 'approve', BOB)).rejects.toMatchObject({
      code: 'policy_denied',
      message: 'r/gate needs a second person: human:bob added to the run',
    });
    await decide(rig, 'gate', 'approve', CID);
    const add = (who: object) => rig.ops.call(extendRun, { run: 'r', items: [command('c')] }, who);
    await expect(add(CID)).rejects.toMatchObject({ code: 'policy_denied' });
    expect((await add(BOB)).added).toEqual(['c']);
    // To end it is nobody's work.
    await rig.ops.call(extendRun, { run: 'r', close: true }, CID);
    expect(await rig.ended('r')).toBe('completed');
    const { data } = await rig.ops.call(listEvents, { run: 'r' });
    expect(data.filter(({ type }) => type === 'run.extended')).toHaveLength(2);
  });
});
