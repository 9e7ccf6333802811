import { inspect } from 'node:util';
import { isPalisadeError } from '@palisade/contracts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MasterKey } from './master-key.ts';

const key = new MasterKey(Buffer.alloc(32, 1));
const other = new MasterKey(Buffer.alloc(32, 2));
const opens = (sealed: Uint8Array, bound: string, by = key): boolean => {
  try {
    by.open(sealed, bound);
    return true;
  } catch (error) {
    if (isPalisadeError(error, 'secret_undecryptable')) return false;
    throw error;
  }
};

describe('sealing', () => {
  it('EX-200: what is sealed opens under the same key and binding, as nonce, ciphertext and tag', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), (value, bound) => {
        const sealed = key.seal(value, bound);
        expect(sealed.byteLength).toBe(12 + value.byteLength + 16);
        expect(key.open(sealed, bound).equals(value)).toBe(true);
      }),
    );
  });

  it('EX-200: another key, another binding or any changed byte does not open it', () => {
    const sealed = key.seal(Buffer.from('value'), 'here');
    expect(opens(sealed, 'here')).toBe(true);
    expect(opens(sealed, 'here', other)).toBe(false);
    expect(opens(sealed, 'there')).toBe(false);
    for (let i = 0; i < sealed.byteLength; i++) {
      const changed = Buffer.from(sealed);
      changed[i] = (changed[i] ?? 0) ^ 1;
      expect(opens(changed, 'here'), `byte ${i}`).toBe(false);
      expect(opens(sealed.subarray(0, i), 'here'), `cut at ${i}`).toBe(false);
    }
  });

  it('EX-200: sealing the same value twice gives different ciphertext', () => {
    expect(key.seal(Buffer.from('v'), '')).not.toEqual(key.seal(Buffer.from('v'), ''));
  });
});

it('fingerprints depend on key, purpose and value, and on nothing else', () => {
  expect(key.fingerprint('a', 'v')).toBe(new MasterKey(Buffer.alloc(32, 1)).fingerprint('a', 'v'));
  const all = [
    key.fingerprint('a', 'v'),
    key.fingerprint('b', 'v'),
    key.fingerprint('a', 'w'),
    other.fingerprint('a', 'v'),
  ];
  expect(new Set(all).size).toBe(4);
});

it('EX-202: a key shows nothing of itself when it is printed', () => {
  const bytes = Buffer.from('00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff', 'hex');
  const shown = new MasterKey(bytes);
  const text = `${JSON.stringify(shown)}${inspect(shown, { depth: 9, showHidden: true })}`;
  expect(text).not.toContain('00112233');
  expect(text).not.toContain('00 11 22 33');
  expect(JSON.parse(JSON.stringify(shown))).toEqual({ id: shown.id });
});
