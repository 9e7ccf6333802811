import {
  answerRequest,
  cancelRun,
  contentHash,
  getRun,
  listRequests,
  Manifest,
  type Question,
  submitPlan,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { getDocument, listChildRuns } from '@palisade/runs';
import { describe, expect, it } from 'vitest';
import {
  command,
  done,
  engineStarter,
  failed,
  migrations,
  ScriptedExecutor,
  statesOf,
} from '../../test/engine-rig.ts';
import { BOB, eventsOf, openRequests, until } from '../../test/people.ts';

const WHICH: Question = { question: 'Which one?', options: ['left', 'right'], context: 'There are two.' };
const asks = (question: Question = WHICH, patch?: string) =>
  done({
    outcome: 'needs_input',
    product: { question, ...(patch === undefined ? {} : { result_ref: contentHash(patch) }) },
  });

eachDatabase('questions', (open) => {
  const start = engineStarter(open);

  it('DI-119 DI-181: an item that asks waits without ending, nothing behind it starts, and the answer makes it go on', async () => {
    const executor = new ScriptedExecutor((intent) =>
      intent.itemId === 'a' && intent.attempt === 1 ? asks() : done(),
    );
    const rig = await start(executor);
    await rig.ops.call(submitPlan, {
      run_id: 'r',
      plan: {
        items: [
          command('a', { retry: { max_attempts: 1 } }),
          command('b', { depends_on: ['a'] }),
          command('c'),
        ],
      },
    });
    const [request] = await openRequests(rig);
    expect(request).toMatchObject({
      kind: 'question',
      run_id: 'r',
      item: 'a',
      attempt: 1,
      state: 'open',
      text: 'Which one?',
      options: ['left', 'right'],
      context: 'There are two.',
    });
    await until(async () => (await rig.ops.call(getRun, { run: 'r' })).run.state === 'waiting');
    expect(await statesOf(rig, 'r')).toEqual({ a: 'needs_input', b: 'pending', c: 'done' });
    const { run, items } = await rig.ops.call(getRun, { run: 'r' });
    expect(run).toMatchObject({ state: 'waiting', open_requests: 1 });
    expect(items[0]).toMatchObject({ reason: 'waits for an answer', request: { id: request?.id } });
    expect(rig.engine.busy).toBe(0);

    const { request: answered } = await rig.ops.call(answerRequest, { run: 'r', item: 'a', option: 2 }, BOB);
    expect(answered).toMatchObject({
      state: 'answered',
      answer: 'right',
      option: 2,
      answered_by: 'human:bob',
    });
    expect(await rig.ended('r')).toBe('completed');
    expect(executor.started.filter(({ itemId }) => itemId === 'a').map(({ attempt }) => attempt)).toEqual([
      1, 2,
    ]);
    expect(await eventsOf(rig, 'r', 'item.answered')).toHaveLength(1);
    expect((await rig.ops.call(listRequests, {})).data).toEqual([]);
    expect((await rig.ops.call(listRequests, { all: true })).data).toMatchObject([{ state: 'answered' }]);
    expect(rig.faults).toEqual([]);
  });

  it('DI-119 DI-120: the attempt after the answer goes on with the changes, and its manifest names the answers', async () => {
    const database = await open({ migrations });
    const executor = new ScriptedExecutor((intent) =>
      intent.attempt === 1
        ? asks(WHICH, 'first')
        : intent.attempt === 2
          ? failed()
          : intent.attempt === 3
            ? asks({ question: 'And now?' }, 'second')
            : done(),
    );
    const rig = await start(executor, { database });
    await rig.ops.call(submitPlan, {
      run_id: 'r',
      plan: { items: [command('a', { retry: { backoff_ms: 1 } })] },
    });
    await openRequests(rig);
    await rig.ops.call(answerRequest, { run: 'r', item: 'a', answer: 'right' });
    await until(async () => (await openRequests(rig))[0]?.attempt === 3);
    const [again] = await openRequests(rig);
    await rig.ops.call(answerRequest, {
      run: 'r',
      item: 'a',
      answer: 'whatever you think',
      hash: again?.hash,
    });
    expect(await rig.ended('r')).toBe('completed');
    const manifests = await database.read(async (tx) => {
      const found: Manifest[] = [];
      for (const { manifestRef } of await listChildRuns(tx, 'r', 'a'))
        found.push(Manifest.parse(JSON.parse(await getDocument(tx, 'r', manifestRef))));
      return found;
    });
    const first = { attempt: 1, patch: contentHash('first') };
    expect(manifests.map(({ resumes }) => resumes)).toEqual([
      undefined,
      first,
      first,
      { attempt: 3, patch: contentHash('second') },
    ]);
    expect(manifests.map(({ answers }) => answers?.length)).toEqual([undefined, 1, 1, 2]);
    // The ends of attempts 1 and 3 are no failures: one failure of two is left.
    expect((await rig.ops.call(getRun, { run: 'r' })).items[0]?.attempt).toBe(4);
  });

  it('FF-053 FF-056: an answer reaches the question it names, once, and the second of two people is told who was first', async () => {
    const rig = await start(
      new ScriptedExecutor((intent) =>
        intent.attempt < 3 ? asks({ question: `Number ${intent.attempt}?` }) : done(),
      ),
    );
    await rig.ops.call(submitPlan, { run_id: 'r', plan: { items: [command('a'), command('b')] } });
    const [one] = await openRequests(rig, 2);
    if (one === undefined) throw new Error('nobody asks');
    const other = one.item === 'a' ? 'b' : 'a';
    const both = await Promise.allSettled(
      ['human:ann', 'human:bob'].map((actor) =>
        rig.ops.call(answerRequest, { run: 'r', item: one.item, answer: actor, hash: one.hash }, { actor }),
      ),
    );
    const winners = both.flatMap((result) => (result.status === 'fulfilled' ? [result.value.request] : []));
    const losers = both.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
    expect(winners).toHaveLength(1);
    expect(losers[0]).toMatchObject({ code: expect.stringMatching(/invalid_state|stale_revision/) });
    await until(async () =>
      (await openRequests(rig, 2)).some((each) => each.item === one.item && each.attempt === 2),
    );
    // The next question of the item has another hash: an answer to the first one does not reach it.
    await expect(
      rig.ops.call(answerRequest, { run: 'r', item: one.item, answer: 'late', hash: one.hash }),
    ).rejects.toMatchObject({ code: 'stale_revision' });
    expect((await openRequests(rig, 2)).map(({ item, attempt }) => [item, attempt]).toSorted()).toEqual(
      [
        [one.item, 2],
        [other, 1],
      ].toSorted(),
    );
    // Nor does one that names none, from the second question on: it may be to the first. The refusal says what is asked now.
    const now = (await openRequests(rig, 2)).find(({ item }) => item === one.item)?.hash ?? '';
    for (const more of [{}, { dry_run: true }])
      await expect(
        rig.ops.call(answerRequest, { run: 'r', item: one.item, answer: 'late', ...more }),
      ).rejects.toMatchObject({
        code: 'stale_revision',
        message: expect.stringContaining('--hash'),
        why: expect.stringContaining(now.slice('sha256:'.length, 'sha256:'.length + 12)),
      });
    expect((await openRequests(rig, 2)).find(({ item }) => item === one.item)?.state).toBe('open');
    await rig.ops.call(answerRequest, { run: 'r', item: other, answer: 'yes' });
    for (const item of [one.item, other]) {
      const second = async () =>
        (await openRequests(rig)).find((each) => each.item === item && each.attempt === 2)?.hash;
      await until(async () => (await second()) !== undefined);
      await rig.ops.call(answerRequest, { run: 'r', item, answer: 'yes', hash: await second() });
    }
    expect(await rig.ended('r')).toBe('completed');
  });

  it('DI-181 DI-176: while it waits it holds no slot and no lock, and can be canceled; then nobody is asked any more', async () => {
    const rig = await start(new ScriptedExecutor((intent) => (intent.itemId === 'a' ? asks() : done())), {
      concurrency: 1,
    });
    await rig.ops.call(submitPlan, {
      run_id: 'r',
      plan: {
        items: [
          command('a', { resourceLocks: ['db'] }),
          command('b', { resourceLocks: ['db'] }),
          command('after', { depends_on: ['a'] }),
        ],
      },
    });
    await openRequests(rig);
    await until(async () => (await statesOf(rig, 'r'))['b'] === 'done');
    await rig.ops.call(cancelRun, { run: 'r', item: 'a' });
    expect(await rig.ended('r')).toBe('failed');
    expect(await statesOf(rig, 'r')).toEqual({ a: 'canceled', b: 'done', after: 'skipped' });
    expect((await rig.ops.call(listRequests, { all: true })).data).toMatchObject([{ state: 'withdrawn' }]);
    await expect(rig.ops.call(answerRequest, { run: 'r', item: 'a', answer: 'x' })).rejects.toMatchObject({
      code: 'invalid_state',
    });
  });

  it('FF-172: the wait is stored: an engine that was not there when somebody answered goes on all the same', async () => {
    const database = await open({ migrations });
    const executor = () => new ScriptedExecutor((intent) => (intent.attempt === 1 ? asks() : done()));
    const first = await start(executor(), { database });
    for (const run_id of ['r', 's'])
      await first.ops.call(submitPlan, { run_id, plan: { items: [command('a')] } });
    await openRequests(first, 2);
    await first.engine.stop();
    await first.ops.call(answerRequest, { run: 'r', item: 'a', answer: 'left' });
    expect((await first.ops.call(getRun, { run: 'r' })).items[0]).toMatchObject({
      state: 'needs_input',
      reason: 'answered by system:local; goes on when an engine takes it up',
    });
    const second = await start(executor(), { database });
    expect(await second.ended('r')).toBe('completed');
    expect(await statesOf(second, 's')).toEqual({ a: 'needs_input' });
    await second.ops.call(answerRequest, { run: 's', item: 'a', answer: 'right' });
    expect(await second.ended('s')).toBe('completed');
  });

  it('DI-174: the deadline of its run ends a wait that nobody answers', async () => {
    const rig = await start(new ScriptedExecutor(() => asks()));
    await rig.ops.call(submitPlan, { run_id: 'r', plan: { timeout_seconds: 1, items: [command('a')] } });
    await openRequests(rig);
    expect(await rig.ended('r')).toBe('timed_out');
    expect(await statesOf(rig, 'r')).toEqual({ a: 'canceled' });
  });

  it('DI-119: an answer that is none of the options by number, says nothing, or is for an item that asks nothing is refused', async () => {
    const rig = await start(new ScriptedExecutor((intent) => (intent.itemId === 'a' ? asks() : done())));
    await rig.ops.call(submitPlan, { run_id: 'r', plan: { items: [command('a'), command('b')] } });
    await openRequests(rig);
    const answer = (input: { item: string; answer?: string; option?: number }) =>
      rig.ops.call(answerRequest, { run: 'r', ...input });
    await expect(answer({ item: 'a', option: 3 })).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(answer({ item: 'a', answer: ' ' })).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(answer({ item: 'a' })).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(answer({ item: 'b', answer: 'x' })).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(answer({ item: 'c', answer: 'x' })).rejects.toMatchObject({ code: 'not_found' });
    const { request } = await rig.ops.call(answerRequest, {
      run: 'r',
      item: 'a',
      answer: 'left',
      dry_run: true,
    });
    expect(request).toMatchObject({ state: 'answered', option: 1 });
    expect((await openRequests(rig))[0]?.state).toBe('open');
    await rig.ops.call(cancelRun, { run: 'r' });
    expect(await rig.ended('r')).toBe('canceled');
  });
});

describe('the words of a question', () => {
  it('DI-119: are bounded', async () => {
    const { Question: schema } = await import('@palisade/contracts');
    expect(schema.safeParse({ question: 'x'.repeat(4_000) }).success).toBe(true);
    for (const bad of [
      { question: '' },
      { question: ' ' },
      { question: 'x'.repeat(4_001) },
      { question: 'x', options: [] },
      { question: 'x', options: Array.from({ length: 21 }, () => 'o') },
      { question: 'x', context: '\u0001'.repeat(8_000) },
      { question: '\ud800' },
    ])
      expect(schema.safeParse(bad).success, JSON.stringify(bad).slice(0, 60)).toBe(false);
  });
});
