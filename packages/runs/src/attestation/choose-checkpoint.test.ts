import { readTimestamp, timestampQuery, tokenOfReply } from '@palisade/evidence';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Authority, CA, hasOpenssl, STAMPING } from '../../../evidence/test/authority.ts';
import type { AttestedCheckpoint } from './attestation-store.ts';
import { chooseCheckpoint } from './choose-checkpoint.ts';

const NONCE = Buffer.from('00c0ffee00000003', 'hex');

describe.skipIf(!hasOpenssl)('the head that a seal is proved under', () => {
  let tsa: Authority;
  let root: Buffer;

  beforeAll(() => {
    tsa = new Authority();
    root = tsa.certify('root', { extensions: CA });
    tsa.certify('genuine', { issuer: 'root', extensions: STAMPING });
    tsa.certify('forger', { extensions: STAMPING });
  });
  afterAll(() => tsa.remove());

  function head(size: number, signer: string | null, witnesses: number): AttestedCheckpoint {
    const note = `test.example/log\n${size}\nroot\n\n— test.example/log signature\n`;
    const cosignatures = Array.from({ length: witnesses }, (_, i) => `— witness-${i} signature\n`);
    if (signer === null) return { size, note, timestamp: null, cosignatures };
    const message = Buffer.from(note, 'utf8');
    const token = tokenOfReply(tsa.reply(timestampQuery(message, NONCE), signer), message, NONCE);
    return { size, note, timestamp: { token, at: readTimestamp(token).genTime }, cosignatures };
  }

  /** The size of the chosen head and whether its timestamp goes along. */
  function chosen(heads: readonly AttestedCheckpoint[], authorities: readonly Buffer[] | null): string {
    const by = { origin: 'test.example/log', keys: [], keyid: 'k', authorities };
    const found = chooseCheckpoint(heads, by);
    if (found === null) return 'none';
    const size = found.note.split('\n')[1] ?? '';
    const lines = found.note.split('\n').filter((line) => line.startsWith('— witness')).length;
    return `${size}: ${lines} witnesses, ${found.token === null ? 'no time' : 'a time'}`;
  }

  test('DI-228: a timestamp that nobody could verify counts for nothing, and never for more than a witness', () => {
    const stamped = head(1, 'forger', 0);
    const witnessed = head(2, null, 1);
    expect(chosen([stamped, witnessed], null)).toBe('2: 1 witnesses, no time');
    expect(chosen([stamped, witnessed], [root])).toBe('2: 1 witnesses, no time');
    // It tips no balance between witnesses either.
    expect(chosen([witnessed, head(3, 'forger', 1)], null)).toBe('2: 1 witnesses, no time');
    expect(chosen([witnessed, head(3, 'forger', 1)], [root])).toBe('2: 1 witnesses, no time');
    expect(chosen([witnessed, head(3, 'genuine', 1)], null)).toBe('2: 1 witnesses, no time');
    expect(chosen([witnessed, head(3, 'genuine', 1)], [root])).toBe('3: 1 witnesses, a time');
  });

  test('DI-228: one that does not hold is left out; one that cannot be judged here goes along for auditors', () => {
    expect(chosen([head(1, 'forger', 1)], [root])).toBe('1: 1 witnesses, no time');
    expect(chosen([head(1, 'forger', 0)], [root])).toBe('none');
    expect(chosen([head(1, 'genuine', 1)], null)).toBe('1: 1 witnesses, a time');
    expect(chosen([head(1, 'genuine', 0), head(2, 'genuine', 0)], null)).toBe('1: 0 witnesses, a time');
    expect(chosen([head(1, null, 0)], null)).toBe('none');
    // What was taken before an authority was set is judged by it.
    expect(chosen([head(1, 'forger', 0), head(2, 'genuine', 0)], [root])).toBe('2: 0 witnesses, a time');
  });
});
