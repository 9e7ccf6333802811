import { type AnsweredRef, contentHash, isApprovalManifest } from '@palisade/contracts';
import { describe, expect, test } from 'vitest';
import { detailOf, failing } from '../../test/judge.ts';
import { Story, TestLog } from '../../test/story.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import { AttemptFacts } from './attempt-facts.ts';

const ref = (n: number): AnsweredRef => ({
  request: `apr_${String(n).padStart(32, '0')}`,
  request_hash: contentHash(`question ${n}`),
  answer_hash: contentHash(`answer ${n}`),
});

/** One item that asks after each of its attempts and is answered, and whose manifests name `given(n)` before attempt n. */
function answered(attempts: number, given: (attempt: number) => AnsweredRef[]): Story {
  const story = new Story('run-n').submit(1);
  for (let attempt = 1; attempt <= attempts; attempt++)
    story
      .fire('a', attempt, [], { answers: given(attempt) })
      .tell('item.answered', { item: 'a', attempt, actor: 'human:bob', ...ref(attempt) });
  return story;
}

/** What contradicts the ledger, by attempt. */
function contradictions({ entries, manifests }: Story): string[][] {
  const events = entries as unknown as LedgerEvent[];
  const facts = new AttemptFacts(events);
  const fired = events.filter((event) => event.type === 'item.fired');
  return fired.map((event, i) => {
    const manifest = manifests[i];
    if (manifest === undefined || isApprovalManifest(manifest)) return ['no manifest'];
    return [...facts.contradictions(event, manifest)];
  });
}

const allBefore = (attempt: number) => Array.from({ length: attempt - 1 }, (_, i) => ref(i + 1));

describe('the answers that a manifest names', () => {
  test('DI-240: are those given before its attempt, in their order, no more and no fewer', () => {
    expect(contradictions(answered(4, allBefore))).toEqual([[], [], [], []]);
    const last = (change: (refs: AnsweredRef[]) => AnsweredRef[]) =>
      contradictions(answered(4, (n) => (n === 4 ? change(allBefore(n)) : allBefore(n))))[3];
    expect(last((refs) => refs.toReversed())).toEqual([expect.stringContaining('answers')]);
    expect(last((refs) => [...refs.slice(0, 2), ref(9)])).toEqual([expect.stringContaining('answers')]);
    expect(last((refs) => refs.slice(1))).toEqual(['its manifest says 2 answer(s), the ledger tells of 3']);
    expect(last((refs) => [...refs, ref(4)])).toEqual([
      'its manifest says 4 answer(s), the ledger tells of 3',
    ]);
  });

  test('FF-137: are compared at no greater cost than the manifest is long, however many the ledger tells of', () => {
    const story = answered(6_000, () => []);
    const started = performance.now();
    expect(contradictions(story).filter((found) => found.length === 0)).toHaveLength(1);
    // With the list of the ledger written out for each attempt it is eighteen million answers.
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  test('DI-240: a manifest that several attempts share is read for the first of them', async () => {
    const story = new Story('run-n').submit(1).fire('a');
    const { data } = story.entries.at(-1) ?? {};
    const again = data as { item: string; attempt: number; run: string; manifest_ref: never };
    story
      .tell('item.fired', { ...again })
      .tell('item.fired', { ...again })
      .reconcile('a', 'done')
      .complete('completed', { done: 1 });
    const bundle = await new TestLog().seal(story);
    expect(failing(bundle)).toEqual(['chain', 'manifest']);
    expect(detailOf(bundle, 'manifest')).toBe(
      'false: item a attempt 1: its manifest belongs to an earlier attempt; item a attempt 1: its manifest belongs to an earlier attempt',
    );
  });
});
