import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';
import { type HashedEvent, eventHash } from './event-hash.ts';

const event = (data: object, more: Partial<HashedEvent> = {}): HashedEvent => ({
  stream: 'run:r',
  seq: 3,
  type: 'item.reconciled',
  at: 1_767_225_600_000,
  data: canonicalJson(data),
  ...more,
});
const PREVIOUS = 'ab'.repeat(32);

it('DI-222 DI-223: an entry is hashed as six fixed places behind a version tag, over the hash before it', () => {
  const text = '["palisade.event/1","run:r",3,"item.reconciled",1767225600000,{"item":"a","reason":"é"}]';
  const hash = (...parts: (string | Buffer)[]) =>
    parts.reduce((sum, part) => sum.update(part), createHash('sha256')).digest('hex');
  const given = event({ reason: 'é', item: 'a' });
  expect(eventHash(given, PREVIOUS)).toBe(hash(text, Buffer.from(PREVIOUS, 'hex')));
  expect(eventHash(given, null)).toBe(hash(text));
});

it('DI-223: no two entries that say different things share a hash: not by moving, renaming, dropping or adding an optional fact', () => {
  const facts = { item: 'a', code: 'x', reason: 'y' };
  const variants: readonly HashedEvent[] = [
    event(facts),
    event({ ...facts, code: 'y', reason: 'x' }),
    event({ item: 'a', code: 'x' }),
    event({ item: 'a', reason: 'x' }),
    event({ ...facts, code: null }),
    event({ ...facts, code: '' }),
    event({ item: 'a', code: 'x","reason":"y' }),
    event(facts, { seq: 4 }),
    event(facts, { at: 3 }),
    event(facts, { stream: 'run:q' }),
    event(facts, { type: 'item.canceled' }),
  ];
  const hashes = variants.flatMap((variant) => [eventHash(variant, null), eventHash(variant, PREVIOUS)]);
  expect(new Set(hashes).size).toBe(2 * variants.length);
});
