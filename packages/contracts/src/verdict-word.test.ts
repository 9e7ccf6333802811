import { expect, it } from 'vitest';
import type { BlockFacts } from './events.ts';
import { verdictWord } from './verdict-word.ts';

const check = (status: BlockFacts['status']): BlockFacts => ({
  kind: 'verify',
  ordinal: 1,
  status,
  duration_ms: 1,
});
const verify = (passed: boolean) => ({ passed, report: '', duration_ms: 1 });

it('FF-143: a self-check that ended well and did not pass was not counted, which is no failure of it', () => {
  expect(verdictWord({ verify: verify(true), blocks: [check('ok')] })).toBe('passed');
  expect(verdictWord({ verify: verify(false), blocks: [check('ok')] })).toBe('not counted');
  expect(verdictWord({ verify: verify(false), blocks: [check('failed'), check('ok')] })).toBe('failed');
  expect(verdictWord({ verify: verify(false) })).toBe('failed');
  expect(verdictWord({})).toBeUndefined();
  expect(verdictWord(undefined)).toBeUndefined();
});
