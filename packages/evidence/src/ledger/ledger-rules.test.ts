import type { EventData, EvidenceBundle } from '@palisade/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { copyOf, forged, rechain } from '../../test/forge.ts';
import { detailOf, failing, verify } from '../../test/judge.ts';
import { OPS_KEY, sampleStory, START, Story, TestLog } from '../../test/story.ts';
import { bundleBytes, sealRun } from '../index.ts';

let good: EvidenceBundle;

beforeAll(async () => {
  good = await new TestLog().seal(sampleStory());
});

/** Seals a story that breaks a rule, so that only the rule itself can find it. */
const sealed = (story: Story) => new TestLog().seal(story);

describe('rules of the ledger', () => {
  const one = (runId = 'run-r') => new Story(runId).submit(1);
  const cases: [RegExp, () => Story][] = [
    [
      /starts with item.fired, not run.submitted/,
      () => new Story('run-r').fire('a').reconcile('a', 'done').complete('completed', { done: 1 }),
    ],
    [
      /a second run.submitted/,
      () => one().submit(1).fire('a').reconcile('a', 'done').complete('completed', { done: 1 }),
    ],
    [
      /run.completed is not the last entry/,
      () =>
        one()
          .fire('a')
          .reconcile('a', 'done')
          .complete('completed', { done: 1 })
          .complete('completed', { done: 1 }),
    ],
    [/item a never ended/, () => one().fire('a').complete('completed', {})],
    [
      /ended a second time/,
      () =>
        one()
          .fire('a')
          .reconcile('a', 'done')
          .tell('item.canceled', { item: 'a', reason: 'late' })
          .complete('completed', { done: 1 }),
    ],
    [
      /fired after it had ended/,
      () =>
        one()
          .fire('a')
          .reconcile('a', 'done')
          .fire('a', 2)
          .reconcile('a', 'done', 2)
          .complete('completed', { done: 1 }),
    ],
    [
      /fired as attempt 2, expected 1/,
      () => one().fire('a', 2).reconcile('a', 'done', 2).complete('completed', { done: 1 }),
    ],
    [
      /fired while attempt 1 was in flight/,
      () => one().fire('a').fire('a', 2).reconcile('a', 'done', 2).complete('completed', { done: 1 }),
    ],
    [/has no attempt in flight/, () => one().reconcile('a', 'done').complete('completed', { done: 1 })],
    [/names attempt 2/, () => one().fire('a').reconcile('a', 'done', 2).complete('completed', { done: 1 })],
    [
      /started twice/,
      () => one().fire('a').start('a').start('a').reconcile('a', 'done').complete('completed', { done: 1 }),
    ],
    [
      /is skipped while attempt 1 is in flight/,
      () =>
        one().fire('a').tell('item.skipped', { item: 'a', because: 'a' }).complete('failed', { skipped: 1 }),
    ],
    [
      /because of b, which did not fail/,
      () =>
        new Story('run-r')
          .submit(2)
          .tell('item.skipped', { item: 'a', because: 'b' })
          .fire('b')
          .reconcile('b', 'done')
          .complete('failed', { done: 1, skipped: 1 }),
    ],
    [
      /submitted with 1 item\(s\), the ledger tells of 2/,
      () =>
        one()
          .fire('a')
          .reconcile('a', 'done')
          .fire('b')
          .reconcile('b', 'done')
          .complete('completed', { done: 2 }),
    ],
    [
      /counts 1 done, the ledger tells of 0/,
      () => one().fire('a').reconcile('a', 'failed').complete('completed', { done: 1 }),
    ],
    [
      /counts 7 constructor/,
      () => one().fire('a').reconcile('a', 'failed').complete('failed', { failed: 1, constructor: 7 }),
    ],
    [
      /is done although its attempt failed/,
      () =>
        one()
          .fire('a')
          .tell('item.reconciled', {
            item: 'a',
            attempt: 1,
            run: 'run-r-a-1',
            status: 'done',
            outcome: 'failed',
          })
          .complete('completed', { done: 1 }),
    ],
    [
      /is about run run-q/,
      () =>
        one()
          .fire('a')
          .reconcile('a', 'done')
          .tell('run.completed', { run: 'run-q', status: 'completed', counts: { done: 1 } }),
    ],
    [
      /entry 3 is earlier than the one before it/,
      () => {
        const story = one().fire('a').start('a');
        story.at = START;
        return story.reconcile('a', 'done').complete('completed', { done: 1 });
      },
    ],
  ];
  for (const [expected, tell] of cases)
    test(`DI-226: a sealed ledger is refused when it says ${expected.source}`, async () => {
      const bundle = await sealed(tell());
      expect(detailOf(bundle, 'chain')).toMatch(expected);
      expect(verify(bundle)).toMatchObject({ intact: false, failure: 'chain' });
    });

  /** A run whose items end as named; `wish` asks for the end of the run, `wish:a` for that of one item. */
  const ending = (status: EventData<'run.completed'>['status'], ...ends: string[]) => {
    const items = ends.filter((end) => !end.startsWith('wish'));
    const story = new Story('run-s').submit(items.length);
    const counts: Record<string, number> = {};
    for (const [i, end] of ends.entries()) {
      const item = `i${i}`;
      const [wish, wanted] = end.split(':');
      if (wish === 'wish')
        story.tell('run.cancel_requested', {
          actor: 'human:ann',
          ...(wanted === undefined ? {} : { item: wanted }),
        });
      else if (end === 'canceled') story.tell('item.canceled', { item, reason: 'unwanted' });
      else if (end === 'skipped') story.tell('item.skipped', { item, because: 'i0' });
      else story.fire(item).reconcile(item, end === 'done' ? 'done' : 'failed');
    }
    for (const end of items) counts[end] = (counts[end] ?? 0) + 1;
    return sealed(story.complete(status, counts));
  };

  test('DI-226: a run that ended otherwise than its items is refused, and the words say how', async () => {
    const wrong: [RegExp, ...Parameters<typeof ending>][] = [
      [/says completed, but 1 of 1 item\(s\) did not end done/, 'completed', 'failed'],
      [/says completed, but 2 of 3 item\(s\) did not end done/, 'completed', 'failed', 'skipped', 'done'],
      [/says failed, but every item ended done/, 'failed', 'done', 'done'],
      [/says canceled, but every item ended done/, 'canceled', 'wish', 'done'],
      [/says canceled, but no item was canceled/, 'canceled', 'wish', 'done', 'failed'],
      [/says canceled, but nobody asked for the end of the run/, 'canceled', 'done', 'canceled'],
      [/says canceled, but nobody asked for the end of the run/, 'canceled', 'wish:i1', 'canceled'],
      [/says timed_out, but no item was canceled/, 'timed_out', 'failed'],
      [/says timed_out, but the run's end was asked for/, 'timed_out', 'wish', 'canceled'],
      [/says failed, but the run's end was asked for/, 'failed', 'wish', 'canceled'],
    ];
    for (const [expected, status, ...ends] of wrong) {
      const bundle = await ending(status, ...ends);
      expect(detailOf(bundle, 'chain')).toMatch(expected);
      expect([status, ends, failing(bundle)]).toEqual([status, ends, ['chain']]);
    }
  });

  test('DI-226: every way in which a run can end is told truly', async () => {
    const right: Parameters<typeof ending>[] = [
      ['completed', 'done', 'done'],
      ['completed', 'wish', 'done'],
      ['failed', 'failed', 'skipped', 'done'],
      ['failed', 'wish', 'failed'],
      // One item was canceled on request; or what was stored of the run could not be read any more.
      ['failed', 'wish:i1', 'canceled', 'done'],
      ['failed', 'canceled'],
      ['canceled', 'wish', 'canceled', 'done'],
      ['timed_out', 'done', 'canceled'],
    ];
    for (const [status, ...ends] of right)
      expect([status, ends, failing(await ending(status, ...ends))]).toEqual([status, ends, []]);
  });

  test('an event type or member that this verifier does not know fails and is named', () => {
    for (const [expected, change] of [
      [/unknown event type "item.paused"/, { type: 'item.paused' }],
      [/unknown event type "constructor"/, { type: 'constructor' }],
      [/data of item.started is malformed at/, { data: { ...good.entries[2]?.data, extra: 1 } }],
    ] as const) {
      const bundle = forged(good, (b) => {
        Object.assign(b.entries[2] ?? {}, change);
        b.entries = copyOf(rechain('run-a', b.entries as never));
      });
      expect(detailOf(bundle, 'chain')).toMatch(expected);
    }
  });

  test('DI-226: a seal that admits dropped events never verifies', async () => {
    const bundle = await new TestLog().sealFalsely(
      sampleStory(),
      ({ predicate }) => void (predicate.completeness.dropped = 2),
    );
    expect(failing(bundle)).toEqual(['root']);
    expect(detailOf(bundle, 'root')).toBe('false: the seal says that 2 event(s) were dropped');
  });

  test('a ledger that is unfinished, damaged or not of this run is never signed', async () => {
    const { entries } = sampleStory();
    const seal = (runId: string, ledger: EvidenceBundle['entries']) =>
      sealRun({ runId, entries: ledger, signer: OPS_KEY });
    await expect(seal('run-a', entries.slice(0, -1))).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(seal('run-a', [])).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(seal('run-a', entries.slice(1))).rejects.toMatchObject({ code: 'integrity_mismatch' });
    await expect(seal('run-b', entries)).rejects.toMatchObject({ code: 'integrity_mismatch' });
  });

  test('DI-226: sealing again gives the same bytes', async () => {
    const again = await new TestLog().seal(sampleStory());
    const first = await new TestLog().seal(sampleStory());
    expect(bundleBytes(again)).toEqual(bundleBytes(first));
  });
});
