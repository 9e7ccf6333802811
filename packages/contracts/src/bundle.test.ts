import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BundleFile, decodeBundle, encodeBundle } from './bundle.ts';
import { isPalisadeError, type PalisadeError } from './errors.ts';
import { limits } from './limits.ts';
import { findPathConflict } from './safe-path.ts';

const file = (path: string, text = '', executable = false): BundleFile => ({
  path,
  bytes: Buffer.from(text),
  executable,
});
const codeOf = (action: () => unknown): PalisadeError['code'] | 'accepted' => {
  try {
    action();
    return 'accepted';
  } catch (error) {
    if (isPalisadeError(error)) return error.code;
    throw error;
  }
};
const files = fc
  .uniqueArray(
    fc.record({
      path: fc
        .array(fc.stringMatching(/^[A-Za-zäß漢_-]{1,6}$/), { minLength: 1, maxLength: 3 })
        .map((parts) => parts.join('/')),
      bytes: fc.uint8Array({ maxLength: 64 }),
      executable: fc.boolean(),
    }),
    { maxLength: 8, selector: ({ path }) => path },
  )
  .filter((list) => findPathConflict(list.map(({ path }) => path)) === null);

describe('bundles', () => {
  it('DI-041: the bytes are the header line and then the files, sorted by path', () => {
    const bytes = encodeBundle('demo', [file('b.sh', '#!/bin/sh\n', true), file('a.md', 'hi\n')]);
    expect(bytes.toString()).toBe(
      '{"name":"demo","entries":[{"path":"a.md","size":3},{"path":"b.sh","size":10,"executable":true}]}\n' +
        'hi\n#!/bin/sh\n',
    );
  });

  it('DI-041: encoding is deterministic whatever the order, and decoding gives back what was encoded', () => {
    fc.assert(
      fc.property(files, fc.nat(), (list, seed) => {
        const bytes = encodeBundle('demo', list);
        const rotated = [...list.slice(seed % (list.length + 1)), ...list.slice(0, seed % (list.length + 1))];
        expect(encodeBundle('demo', rotated).equals(bytes)).toBe(true);
        const decoded = decodeBundle(bytes);
        const sorted = list.toSorted((a, b) => (a.path < b.path ? -1 : 1));
        expect(decoded.files.map((f) => [f.path, [...f.bytes], f.executable])).toEqual(
          sorted.map((f) => [f.path, [...f.bytes], f.executable]),
        );
        expect(encodeBundle(decoded.name, decoded.files).equals(bytes)).toBe(true);
      }),
    );
  });

  it('DI-042: whatever hostile bytes decode, they are a bundle we would write', () => {
    const hostile = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .tuple(files, fc.nat(), fc.integer({ min: 0, max: 255 }), fc.constantFrom('set', 'cut', 'insert'))
        .map(([list, at, byte, how]) => {
          const bytes = encodeBundle('demo', list);
          const i = at % bytes.length;
          if (how === 'cut') return bytes.subarray(0, i);
          if (how === 'insert')
            return Buffer.concat([bytes.subarray(0, i), Buffer.from([byte]), bytes.subarray(i)]);
          bytes[i] = byte;
          return bytes;
        }),
    );
    fc.assert(
      fc.property(hostile, (bytes) => {
        let decoded;
        try {
          decoded = decodeBundle(bytes);
        } catch (error) {
          expect(isPalisadeError(error)).toBe(true);
          return;
        }
        expect(encodeBundle(decoded.name, decoded.files).equals(bytes)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('DI-042: other spellings of one bundle are refused, so equal content has one address', () => {
    const cases: [string, string][] = [
      ['blanks', '{"name": "d","entries":[]}\n'],
      ['order', '{"entries":[],"name":"d"}\n'],
      ['escape', '{"name":"d","entries":[{"path":"\\u0061","size":0}]}\n'],
      ['repeat', '{"name":"d","name":"d","entries":[]}\n'],
      ['false flag', '{"name":"d","entries":[{"path":"a","size":0,"executable":false}]}\n'],
      ['unknown member', '{"name":"d","entries":[{"path":"a","size":0,"mode":511}]}\n'],
      ['unsorted', '{"name":"d","entries":[{"path":"b","size":0},{"path":"a","size":0}]}\n'],
      ['short', '{"name":"d","entries":[{"path":"a","size":2}]}\nx'],
      ['long', '{"name":"d","entries":[{"path":"a","size":1}]}\nxy'],
      ['negative', '{"name":"d","entries":[{"path":"a","size":-1}]}\n'],
      ['exponent', '{"name":"d","entries":[{"path":"a","size":1e0}]}\nx'],
      ['overflow', '{"name":"d","entries":[{"path":"a","size":1e300}]}\n'],
      ['crlf', '{"name":"d","entries":[]}\r\n'],
      ['no line', '{"name":"d","entries":[]}'],
      ['prototype', '{"name":"d","entries":[],"__proto__":{}}\n'],
    ];
    for (const [what, text] of cases)
      expect(
        codeOf(() => decodeBundle(Buffer.from(text))),
        what,
      ).toBe('invalid_input');
    expect(codeOf(() => decodeBundle(Buffer.from('{"name":"d","entries":[]}\n')))).toBe('accepted');
  });

  it('DI-042: unsafe and colliding paths are refused when encoding and again when decoding', () => {
    for (const path of ['../x', '/x', 'a\\b', '.git/hooks/pre-commit']) {
      expect(codeOf(() => encodeBundle('d', [file(path)]))).toBe('unsafe_path');
      const header = `${JSON.stringify({ name: 'd', entries: [{ path, size: 0 }] })}\n`;
      expect(codeOf(() => decodeBundle(Buffer.from(header)))).toBe('unsafe_path');
    }
    expect(codeOf(() => encodeBundle('d', [file('A'), file('a')]))).toBe('unsafe_path');
    const twice = '{"name":"d","entries":[{"path":"a","size":0},{"path":"a","size":0}]}\n';
    expect(codeOf(() => decodeBundle(Buffer.from(twice)))).toBe('unsafe_path');
  });

  it('DI-041: 50 MiB is the cap, header included', () => {
    const header = encodeBundle('d', [file('a')]).byteLength + 7;
    const fits = { path: 'a', bytes: Buffer.alloc(limits.capabilityBytes - header), executable: false };
    expect(encodeBundle('d', [fits]).byteLength).toBe(limits.capabilityBytes);
    const over = { ...fits, bytes: Buffer.alloc(limits.capabilityBytes - header + 1) };
    expect(codeOf(() => encodeBundle('d', [over]))).toBe('too_large');
    expect(codeOf(() => decodeBundle(Buffer.alloc(limits.capabilityBytes + 1)))).toBe('too_large');
    const many = Array.from({ length: limits.capabilityEntries + 1 }, (_, i) => file(`f${i}`));
    expect(codeOf(() => encodeBundle('d', many))).toBe('too_large');
  });
});
