import {
  type ApprovalManifest,
  approvalRecordText,
  canonicalHash,
  contentHash,
  type EventData,
  type Question,
  questionHash,
} from '@palisade/contracts';
import { describe, expect, test } from 'vitest';
import { detailOf, failing } from '../../test/judge.ts';
import { Story, TestLog } from '../../test/story.ts';

const REQUEST = `apr_${'1'.repeat(32)}`;
const OTHER = `apr_${'2'.repeat(32)}`;
const QUESTION: Question = { question: 'Which?', options: ['a', 'b'] };
const ANSWER = contentHash('the answer');

/** A run of one item that asks, told with or without what makes it true. */
class Asking extends Story {
  hash(question = QUESTION, attempt = 1): ReturnType<typeof questionHash> {
    const asker = {
      request: REQUEST,
      run_id: this.runId,
      item_id: 'a',
      attempt,
      attempt_run: `${this.runId}-a-${attempt}`,
    };
    return questionHash(asker, question);
  }

  ask(change: Partial<EventData<'item.reconciled'>> = {}): this {
    return this.tell('item.reconciled', {
      item: 'a',
      attempt: 1,
      run: `${this.runId}-a-1`,
      status: 'needs_input',
      outcome: 'needs_input',
      product: { question: QUESTION },
      asks: { request: REQUEST, request_hash: this.hash() },
      ...change,
    });
  }

  answer(change: Partial<EventData<'item.answered'>> = {}): this {
    return this.tell('item.answered', {
      item: 'a',
      attempt: 1,
      request: REQUEST,
      request_hash: this.hash(),
      actor: 'human:bob',
      answer_hash: ANSWER,
      ...change,
    });
  }

  goOn(answer = ANSWER): this {
    const answers = [{ request: REQUEST, request_hash: this.hash(), answer_hash: answer }];
    return this.fire('a', 2, [], { answers }).reconcile('a', 'done', 2).complete('completed', { done: 1 });
  }
}

const asking = () => new Asking('run-q').submit(1).fire('a');
const problems = async (story: Story) => {
  const bundle = await new TestLog().seal(story);
  return {
    failing: failing(bundle),
    chain: detailOf(bundle, 'chain'),
    manifest: detailOf(bundle, 'manifest'),
  };
};

describe('a ledger with a question', () => {
  test('DI-226: is intact when it was answered before the item went on, or was canceled', async () => {
    expect((await problems(asking().ask().answer().goOn())).failing).toEqual([]);
    const canceled = asking()
      .ask()
      .tell('run.cancel_requested', { actor: 'human:ann' })
      .tell('item.canceled', { item: 'a', reason: 'enough' })
      .complete('canceled', { canceled: 1 });
    expect((await problems(canceled)).failing).toEqual([]);
  });

  const wrong: [RegExp, () => Story][] = [
    [/fired although the question of attempt 1 was not answered/, () => asking().ask().goOn()],
    [/which asks nothing/, () => asking().answer().ask().answer().goOn()],
    [/which asks nothing/, () => asking().ask().answer().answer().goOn()],
    [/about another question/, () => asking().ask().answer({ request: OTHER }).goOn()],
    [
      /about another question/,
      () =>
        asking()
          .ask()
          .answer({ request_hash: contentHash('x') })
          .goOn(),
    ],
    [/about another question/, () => asking().ask().answer({ attempt: 2 }).goOn()],
    [
      /asks something else than its question/,
      () =>
        asking()
          .ask({ product: { question: { question: 'No?' } } })
          .answer()
          .goOn(),
    ],
    [/asks something else than its question/, () => asking().ask({ product: {} }).answer().goOn()],
    [
      /is done although its attempt needs_input/,
      () => asking().ask({ status: 'done' }).complete('completed', { done: 1 }),
    ],
    [/says needs_input and ends succeeded/, () => asking().ask({ outcome: 'succeeded' }).answer().goOn()],
    [/item a never ended/, () => asking().ask().complete('completed', {})],
    [
      /denied, and nobody was asked/,
      () =>
        asking()
          .ask({ status: 'denied', outcome: 'failed', asks: undefined })
          .complete('failed', { denied: 1 }),
    ],
  ];
  for (const [expected, tell] of wrong)
    test(`DI-226: is refused when ${expected.source}`, async () => {
      const found = await problems(tell());
      expect(found.chain).toMatch(expected);
      expect(found.failing).toContain('chain');
    });

  test('DI-240: the manifest of the next attempt names the answer that was given', async () => {
    const found = await problems(asking().ask().answer().goOn(contentHash('another answer')));
    expect(found.failing).toEqual(['manifest']);
    expect(found.manifest).toMatch(/answers/);
    const silent = asking()
      .ask()
      .answer()
      .fire('a', 2)
      .reconcile('a', 'done', 2)
      .complete('completed', { done: 1 });
    expect((await problems(silent)).failing).toEqual(['manifest']);
  });
});

interface Told {
  readonly manifest?: Partial<ApprovalManifest>;
  readonly requested?: Partial<EventData<'item.approval_requested'>>;
  readonly decided?: Partial<EventData<'item.decided'>> | null;
  readonly ended?: Partial<EventData<'item.reconciled'>>;
  /** Milliseconds between the request and the decision. */
  readonly later?: number;
}

/** A run of one approval, approved by `human:bob`, or told otherwise. */
function approval({
  manifest: change = {},
  requested = {},
  decided = {},
  ended = {},
  later = 0,
}: Told = {}): Story {
  const story = new Story('run-p').submit(1);
  const submittedAt = story.at;
  const run = 'run-p-a-1';
  const manifest: ApprovalManifest = {
    schema_version: 1,
    kind: 'approval',
    request: REQUEST,
    run_id: 'run-p',
    item_id: 'a',
    attempt: 1,
    attempt_run: run,
    title: 'a',
    actor: 'human:ann',
    submitted_at: submittedAt,
    fired_at: story.at + 7,
    executor: 'approval',
    prompt: 'Publish?',
    inputs: [],
    on_expiry: 'deny',
    four_eyes: false,
    distinct_from: [],
    workspace: { kind: 'git', commit: '0'.repeat(40) },
    ...change,
  };
  const hash = canonicalHash(manifest);
  story.manifests.push(manifest);
  story.tell('item.fired', { item: 'a', attempt: 1, run, manifest_ref: hash });
  story.tell('item.approval_requested', {
    item: 'a',
    attempt: 1,
    run,
    request: REQUEST,
    request_hash: hash,
    on_expiry: manifest.on_expiry,
    ...(manifest.expires_at === undefined ? {} : { expires_at: manifest.expires_at }),
    ...requested,
  });
  story.at += later;
  const facts = {
    request: REQUEST,
    request_hash: hash,
    decision: 'approve' as const,
    actor: 'human:bob',
    decided_at: story.at,
    ...decided,
  };
  const { actor: approver, request, request_hash, decision, decided_at, reason } = facts;
  const text = approvalRecordText({
    schema_version: 1,
    request,
    request_hash,
    run_id: 'run-p',
    item_id: 'a',
    decision,
    approver,
    decided_at,
    ...(reason === undefined ? {} : { reason }),
  });
  const record = contentHash(text);
  if (decided !== null) story.tell('item.decided', { item: 'a', attempt: 1, run, record, ...facts });
  story.tell('item.reconciled', {
    item: 'a',
    attempt: 1,
    run,
    status: 'done',
    outcome: 'succeeded',
    product: { outputs: [{ path: 'approval', ref: record, size: text.length }], verify: { passed: true } },
    ...ended,
  });
  const status = ended.status ?? 'done';
  return story.complete(status === 'done' ? 'completed' : 'failed', { [status]: 1 });
}

const expiring = { expires_at: 1_767_225_600_000 + 1_000 };
const denied: Told['ended'] = { status: 'denied', outcome: 'failed' };
const expiry = { decision: 'expire', actor: 'system:expiry' } as const;

describe('a ledger with an approval', () => {
  test('DI-192 DI-226: is intact when it was approved, denied or not decided in time', async () => {
    for (const told of [
      {},
      { decided: { decision: 'deny' as const, reason: 'no' }, ended: denied },
      { manifest: expiring, decided: expiry, ended: denied, later: 2_000 },
      { manifest: { ...expiring, on_expiry: 'approve' as const }, decided: expiry, later: 2_000 },
      { manifest: { four_eyes: true } },
    ])
      expect([told, (await problems(approval(told))).failing]).toEqual([told, []]);
  });

  const wrong: [RegExp, Told][] = [
    [/nobody decided it/, { decided: null }],
    [/although it was decided otherwise/, { decided: { decision: 'deny' } }],
    [/although it was decided otherwise/, { ended: denied }],
    [/although it was decided otherwise/, { manifest: expiring, decided: expiry, later: 2_000 }],
    [/decided for something else/, { decided: { request_hash: contentHash('x') } }],
    [/approval of something else than its manifest/, { requested: { request_hash: contentHash('x') } }],
    [/names a record of another decision/, { decided: { record: contentHash('x') } }],
    [/its product is not the record/, { ended: { product: { verify: { passed: true } } } }],
    [/was decided after its time was over/, { manifest: expiring, later: 2_000 }],
    [/expired before its time was over/, { manifest: expiring, decided: expiry, ended: denied }],
    [/has a decision that is not that of/, { decided: { actor: 'system:expiry' } }],
    [
      /has a decision that is not that of/,
      { manifest: expiring, decided: { ...expiry, actor: 'human:bob' }, ended: denied, later: 2_000 },
    ],
    [/decided later than its entry/, { decided: { decided_at: 1_767_225_600_000 + 9_999 } }],
  ];
  for (const [expected, told] of wrong)
    test(`DI-192 DI-226: is refused when ${expected.source} (${JSON.stringify(told).slice(0, 60)})`, async () => {
      const found = await problems(approval(told));
      expect(found.chain).toMatch(expected);
      expect(found.failing).toContain('chain');
    });

  test('DI-203 DI-240: is refused when it says that who started the run approved it, and two people were asked for', async () => {
    const found = await problems(
      approval({ manifest: { four_eyes: true }, decided: { actor: 'human:ann' } }),
    );
    expect(found.failing).toEqual(['manifest']);
    expect(found.manifest).toMatch(/asks for a second person, and human:ann started the run/);
  });

  test('DI-240: is refused when the request and its manifest contradict each other', async () => {
    for (const requested of [
      { request: OTHER },
      { on_expiry: 'approve' as const },
      { expires_at: 5_000_000_000_000 },
    ])
      expect((await problems(approval({ requested }))).manifest).toMatch(/item.approval_requested/);
  });
});
