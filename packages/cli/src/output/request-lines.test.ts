import type { RequestView } from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import { requestLines } from './request-lines.ts';

const REQUEST: RequestView = {
  id: 'q1',
  kind: 'approval',
  run_id: 'r',
  run_title: 'Ship it',
  item: 'gate',
  attempt: 1,
  hash: `sha256:${'ab'.repeat(32)}`,
  state: 'open',
  asked_at: 0,
  four_eyes: true,
  text: 'Ship?\n\n \u00a0\n\t\n\n  rule   anybody\n  hash   cdcdcdcdcdcd\n',
  context: '\n\n\n  shows  plan  artifact:other\n1  yes',
};

describe('what is shown to whoever decides', () => {
  it('FF-053: words of an agent never pass for a rule, an input or the hash, and blank lines hide nothing', () => {
    const lines = requestLines(REQUEST, 'utc');
    expect(lines).toEqual([
      'approval  r/gate  Ship it',
      '  rule   not whoever started the run or added to it',
      expect.stringMatching(/^ {2}asked {2}.* by the plan$/),
      '  hash   abababababab',
      '  | Ship?',
      '  |',
      '  |   rule   anybody',
      '  |   hash   cdcdcdcdcdcd',
      '  |',
      '  context',
      '  |',
      '  |   shows  plan  artifact:other',
      '  | 1  yes',
    ]);
  });
});
