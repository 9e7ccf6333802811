import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalBytes,
  canonicalHash,
  canonicalJson,
  contentHash,
  isContentHash,
} from './canonical-json.ts';
import { isPalisadeError } from './errors.ts';

const refused = (value: unknown): boolean => {
  try {
    canonicalJson(value);
    return false;
  } catch (error) {
    return isPalisadeError(error, 'not_canonical');
  }
};

const fromBits = (hex: string): number => {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${hex}`));
  return view.getFloat64(0);
};

describe('RFC 8785', () => {
  it('FF-141: numbers are written as appendix B says', () => {
    const vectors: [string, string][] = [
      ['0000000000000000', '0'],
      ['8000000000000000', '0'],
      ['0000000000000001', '5e-324'],
      ['8000000000000001', '-5e-324'],
      ['7fefffffffffffff', '1.7976931348623157e+308'],
      ['ffefffffffffffff', '-1.7976931348623157e+308'],
      ['4340000000000000', '9007199254740992'],
      ['c340000000000000', '-9007199254740992'],
      ['4430000000000000', '295147905179352830000'],
      ['44b52d02c7e14af5', '9.999999999999997e+22'],
      ['44b52d02c7e14af6', '1e+23'],
      ['44b52d02c7e14af7', '1.0000000000000001e+23'],
      ['444b1ae4d6e2ef4e', '999999999999999700000'],
      ['444b1ae4d6e2ef4f', '999999999999999900000'],
      ['444b1ae4d6e2ef50', '1e+21'],
      ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
      ['3eb0c6f7a0b5ed8d', '0.000001'],
      ['41b3de4355555553', '333333333.3333332'],
      ['41b3de4355555554', '333333333.33333325'],
      ['41b3de4355555555', '333333333.3333333'],
      ['41b3de4355555556', '333333333.3333334'],
      ['41b3de4355555557', '333333333.33333343'],
      ['becbf647612f3696', '-0.0000033333333333333333'],
      ['43143ff3c1cb0959', '1424953923781206.2'],
    ];
    for (const [bits, text] of vectors) expect(canonicalJson(fromBits(bits)), bits).toBe(text);
    expect(canonicalJson([1e-7, 2 ** 60])).toBe('[1e-7,1152921504606847000]');
  });

  it('FF-141: the example of section 3.2 comes out byte for byte', () => {
    const value: unknown = JSON.parse(
      String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],` +
        String.raw`"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
    );
    expect(canonicalJson(value)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
        String.raw`"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it('FF-141: members are sorted by UTF-16 code units, as in section 3.2.3', () => {
    const value = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    const order = [...canonicalJson(value).matchAll(/:"([^"]+)"/g)].map((m) => m[1]?.split(' ')[0]);
    expect(order).toEqual(['Carriage', 'One', 'Control', 'Latin', 'Euro', 'Emoji:', 'Hebrew']);
  });

  it('FF-141: line separators, accents and emoji stay literal UTF-8', () => {
    expect(canonicalJson({ é: '\u2028\u2029😀' })).toBe('{"é":"\u2028\u2029😀"}');
    expect(canonicalBytes('é')).toEqual(Buffer.from([0x22, 0xc3, 0xa9, 0x22]));
  });
});

describe('what has no canonical form', () => {
  it('DI-014: is refused, never folded', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const values: unknown[] = [
      undefined,
      [undefined],
      // eslint-disable-next-line no-sparse-arrays
      [, 1],
      [() => 1],
      { f: () => 1 },
      { s: Symbol('s') },
      1n,
      Number.NaN,
      [Infinity],
      -Infinity,
      '\ud800',
      { '\udc00': 1 },
      new Date(0),
      new Map(),
      Buffer.from('x'),
      cycle,
      Object.create({ inherited: 1 }),
    ];
    for (const value of values) expect(refused(value), typeof value).toBe(true);
  });

  it('DI-013: absent and undefined members hash alike, an empty array and an empty object do not', () => {
    expect(canonicalHash({ a: 1, b: undefined })).toBe(canonicalHash({ a: 1 }));
    expect(canonicalHash([])).not.toBe(canonicalHash({}));
  });

  it('DI-014: nesting is bounded', () => {
    const nest = (depth: number): unknown => (depth === 0 ? 1 : [nest(depth - 1)]);
    expect(canonicalJson(nest(200))).toHaveLength(401);
    expect(refused(nest(201))).toBe(true);
  });
});

describe('properties', () => {
  it('DI-013: key order never matters and the text is a fixed point', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        const reparsed: unknown = JSON.parse(text);
        expect(canonicalJson(reparsed)).toBe(text);
        expect(canonicalJson(reversed(reparsed))).toBe(text);
      }),
    );
  });

  it('DI-013: raw bytes hash as they are, values as their canonical UTF-8', () => {
    expect(contentHash('')).toBe('sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const hash = canonicalHash(value);
        expect(hash).toBe(contentHash(canonicalBytes(value)));
        expect(isContentHash(hash)).toBe(true);
      }),
    );
    for (const not of ['sha256:', `sha256:${'A'.repeat(64)}`, `${contentHash('x')}\n`, 7])
      expect(isContentHash(not)).toBe(false);
  });
});

it('FF-138: the product has one canonicaliser', () => {
  const packages = fileURLToPath(new URL('../..', import.meta.url));
  const sources = readdirSync(packages, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\/src\/.*\.ts$/.test(file) && !file.includes('node_modules') && !file.endsWith('.test.ts'),
  );
  const definitions = sources.filter((file) =>
    /\b(?:function|const|let)\s+\w*canonical(?:ize|ise|iser|izer|json|bytes|stringify)\w*\s*[=(<]/i.test(
      readFileSync(join(packages, file), 'utf8'),
    ),
  );
  expect(sources.length).toBeGreaterThan(10);
  expect(definitions).toEqual(['contracts/src/canonical-json.ts']);
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== 'object') return value;
  const out: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [key, member] of Object.entries(value).toReversed()) out[key] = reversed(member);
  return out;
}
