import { canonicalJson, type EvidenceBundle, isPalisadeError } from '@palisade/contracts';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { copyOf } from '../test/forge.ts';
import { patchOf, sampleStory, TestLog, TRUST_ROOT } from '../test/story.ts';
import { bundleBytes, parseBundle, verifyBundle, verifyBundleBytes } from './index.ts';

let good: EvidenceBundle;
let bytes: Buffer;

beforeAll(async () => {
  const log = new TestLog();
  await log.seal(sampleStory('run-x'));
  good = await log.seal(sampleStory());
  bytes = bundleBytes(good);
});

/** Every place of a JSON value where a string, number, boolean or null stands. */
function leavesOf(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, member]) =>
    leavesOf(member, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

/** Every member name of a JSON value. */
function namesOf(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const below = [...path, Array.isArray(value) ? Number(key) : key];
    return [...(Array.isArray(value) ? [] : [below]), ...namesOf(member, below)];
  });
}

function flip(value: unknown, at: number, bit: number): unknown {
  if (typeof value === 'number') return value % 2 === 0 ? value + 2 ** (bit % 8) : value - 1;
  if (typeof value === 'boolean') return !value;
  if (typeof value !== 'string') return 0;
  if (value === '') return '\u0001';
  const place = at % value.length;
  const changed = String.fromCharCode(value.charCodeAt(place) ^ (1 << (bit % 7)));
  return value.slice(0, place) + changed + value.slice(place + 1);
}

function changeAt(
  path: readonly (string | number)[],
  change: (holder: Record<string, unknown>, key: string) => void,
) {
  const copy = copyOf(good) as unknown as Record<string, unknown>;
  let holder = copy;
  for (const part of path.slice(0, -1)) holder = holder[String(part)] as Record<string, unknown>;
  change(holder, String(path.at(-1)));
  return copy as unknown as EvidenceBundle;
}

/** `intact`, `tampered`, or the code of the error that refused the bundle. */
function verdictOf(bundle: EvidenceBundle): string {
  try {
    return verifyBundle(parseBundle(Buffer.from(canonicalJson(bundle))), TRUST_ROOT).intact
      ? 'intact'
      : 'tampered';
  } catch (error) {
    if (isPalisadeError(error)) return error.code;
    throw error;
  }
}

describe('bundle', () => {
  test('every value of a bundle is covered: a flipped bit anywhere is found', () => {
    const places = leavesOf(good);
    expect(places.length).toBeGreaterThan(300);
    // Each place once in any case, and then places, characters and bits at random.
    for (const path of places)
      expect([
        path,
        verdictOf(changeAt(path, (holder, key) => void (holder[key] = flip(holder[key], 3, 0)))),
      ]).not.toEqual([path, 'intact']);
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.nat(), fc.nat({ max: 15 }), (path, at, bit) => {
        const bundle = changeAt(path, (holder, key) => void (holder[key] = flip(holder[key], at, bit)));
        expect(verdictOf(bundle)).not.toBe('intact');
      }),
      { numRuns: 400 },
    );
  });

  test('every member of a bundle is covered: one left out, renamed or added anywhere is found', () => {
    const places = namesOf(good);
    for (const path of places) {
      const dropped = changeAt(path, (holder, key) => void delete holder[key]);
      const renamed = changeAt(path, (holder, key) => {
        holder[`${key}_`] = holder[key];
        delete holder[key];
      });
      const added = changeAt(path, (holder, key) => void (holder[`${key}_`] = null));
      for (const bundle of [dropped, renamed, added])
        expect([path, verdictOf(bundle)]).not.toEqual([path, 'intact']);
    }
  });

  test('every part of a list is covered: one doubled, dropped or exchanged anywhere is found', () => {
    const lists = new Set(
      leavesOf(good).flatMap((path) =>
        path.map((part, i) => (typeof part === 'number' ? JSON.stringify(path.slice(0, i)) : '')),
      ),
    );
    lists.delete('');
    for (const list of lists) {
      const path = JSON.parse(list) as string[];
      const change = (edit: (items: unknown[]) => void) =>
        changeAt([...path, 0], (holder) => edit(holder as unknown as unknown[]));
      const changed = [
        change((items) => void items.push(structuredClone(items[0]))),
        change((items) => void items.pop()),
      ];
      for (const bundle of changed) expect([list, verdictOf(bundle)]).not.toEqual([list, 'intact']);
      const rotated = change((items) => void items.push(items.shift()));
      if (canonicalJson(rotated) !== canonicalJson(good))
        expect([list, verdictOf(rotated)]).not.toEqual([list, 'intact']);
    }
  });

  test('DI-249: rows of items that say other than the ledger are no intact evidence', () => {
    const bundle = copyOf(good);
    bundle.items = good.items.map((item) => ({ ...item, status: 'done' }));
    const { intact, failure, checks } = verifyBundle(bundle, TRUST_ROOT);
    expect([intact, failure]).toEqual([false, 'chain']);
    expect(checks[0]?.detail).toContain('the items listed are not what the ledger says');
  });

  test('DI-229: the display rows tell how each item of the ledger ended, in the order it names them', () => {
    expect(good.items).toEqual([
      { id: 'spec', attempts: 1, status: 'done', result_ref: patchOf('spec') },
      { id: 'code', attempts: 2, status: 'done', result_ref: patchOf('code') },
      { id: 'lint', attempts: 1, status: 'failed' },
      { id: 'publish', attempts: 0, status: 'skipped' },
    ]);
  });

  test('a bundle is written and read back byte by byte, one newline at the end allowed', () => {
    expect(bundleBytes(parseBundle(bytes))).toEqual(bytes);
    expect(verifyBundleBytes(Buffer.concat([bytes, Buffer.from('\n')]), TRUST_ROOT).intact).toBe(true);
  });

  test('bytes that two readers could understand differently are refused', () => {
    const text = bytes.toString('utf8');
    const first = /"at":(\d+),/.exec(text)?.[1] ?? '';
    const refused: [string, string | Buffer][] = [
      ['white space', JSON.stringify(JSON.parse(text), null, 1)],
      ['two newlines', `${text}\n\n`],
      ['a byte order mark', `\ufeff${text}`],
      ['a repeated member', text.replace('"format":', '"format":"palisade.evidence/2","format":')],
      ['a repeated fact', text.replace(`"at":${first}`, `"at":1,"at":${first}`)],
      ['a number in other words', text.replace(`"at":${first}`, `"at":${first}.0`)],
      ['an escape in other words', text.replace('"run.submitted"', '"run\\u002esubmitted"')],
      [
        'members out of order',
        text.replace(
          /^\{"entries":(.*),"format":"palisade.evidence\/1"/s,
          '{"format":"palisade.evidence/1","entries":$1',
        ),
      ],
      ['a hidden member', text.replace('{"entries":', '{"__proto__":{"x":1},"entries":')],
      ['a hidden member of an entry', text.replace('"data":{', '"data":{"__proto__":1,')],
      ['a lone surrogate', text.replace('run.submitted', '\\ud800')],
      ['bytes that are not UTF-8', Buffer.concat([bytes, Buffer.from([0xff])])],
      ['half a bundle', text.slice(0, text.length / 2)],
      ['nothing', ''],
      ['null', 'null'],
      ['a list', '[]'],
      ['depth', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
      [
        'base64 in another spelling',
        text.replace(/("sig":"[^"]*)([AQgw])(=="}],?)/, (_, a, b, c) => `${a}${b === 'A' ? 'B' : 'R'}${c}`),
      ],
    ];
    for (const [what, hostile] of refused) {
      expect([what, Buffer.from(hostile).equals(bytes)]).toEqual([what, false]);
      let code = 'read';
      try {
        parseBundle(Buffer.from(hostile));
      } catch (error) {
        code = isPalisadeError(error) ? error.code : `not ours: ${String(error)}`;
      }
      expect([what, code]).toEqual([what, 'evidence_invalid']);
    }
  });

  test('every problem of a malformed bundle is reported with its place', () => {
    const bundle = {
      ...good,
      run_id: '',
      log: { ...good.log, tree_size: 0, extra: 1 },
      seal: { ...good.seal, payload: '=' },
    };
    let issues: readonly { path: string }[] = [];
    try {
      parseBundle(Buffer.from(canonicalJson(bundle)));
    } catch (error) {
      if (isPalisadeError(error)) issues = error.issues;
    }
    expect(issues.map((issue) => issue.path).toSorted()).toEqual([
      'log',
      'log.tree_size',
      'run_id',
      'seal.payload',
    ]);
  });

  test('whatever bytes arrive, reading them gives a bundle or our error', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: bytes.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        fc.boolean(),
        (at, mask, cut) => {
          const damaged = Buffer.from(cut ? bytes.subarray(0, at) : bytes);
          if (!cut) damaged[at] = (damaged[at] ?? 0) ^ mask;
          let verdict: string;
          try {
            verdict = verifyBundleBytes(damaged, TRUST_ROOT).intact ? 'intact' : 'tampered';
          } catch (error) {
            verdict = isPalisadeError(error) ? error.code : `not ours: ${String(error)}`;
          }
          expect(['tampered', 'evidence_invalid']).toContain(verdict);
        },
      ),
      { numRuns: 500 },
    );
  });
});
