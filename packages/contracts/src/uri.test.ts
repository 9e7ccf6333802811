import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentHash } from './canonical-json.ts';
import { isPalisadeError } from './errors.ts';
import { buildRecordUri, buildUri, parseStorageUri, parseUri, URI_TYPES, type BlobUri } from './uri.ts';

const HASH = contentHash('x');
const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:~@-]{0,30}$/).filter((text) => !text.includes('..'));
const uri = fc.record(
  {
    project: name,
    type: fc.constantFrom(...URI_TYPES),
    name,
    hash: fc.string().map((text) => contentHash(text)),
  },
  { requiredKeys: ['project', 'type', 'name'] },
);
const refused = (parse: () => unknown): boolean => {
  try {
    parse();
    return false;
  } catch (error) {
    return isPalisadeError(error, 'invalid_input');
  }
};

describe('addresses', () => {
  it('DI-010: build then parse and parse then build are the identity', () => {
    fc.assert(
      fc.property(uri, (value) => {
        const text = buildUri(value);
        expect(parseUri(text)).toEqual(value);
        expect(buildUri(parseUri(text))).toBe(text);
      }),
    );
  });

  it('DI-010: any accepted text is exactly what building gives back', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), uri.map(buildUri)), fc.string({ maxLength: 3 }), (text, tail) => {
        for (const candidate of [`palisade://${text}`, text + tail]) {
          let parsed: BlobUri;
          try {
            parsed = parseUri(candidate);
          } catch {
            continue;
          }
          expect(buildUri(parsed)).toBe(candidate);
        }
      }),
    );
  });

  it('DI-010: 3 or 4 segments, none empty', () => {
    for (const text of [
      'palisade://',
      'palisade://p',
      'palisade://p/agent',
      'palisade://p/agent/',
      'palisade:///agent/a',
      'palisade://p//a',
      `palisade://p/agent/a/${HASH}/x`,
      `palisade://p/agent/a/`,
      'palisade://p/agent/a/sha256:00',
      'Palisade://p/agent/a',
      'http://p/agent/a',
      'palisade:/p/agent/a',
    ])
      expect(
        refused(() => parseUri(text)),
        text,
      ).toBe(true);
  });

  it('DI-011: unknown types and the reserved "dispatches" are refused by parser and builder', () => {
    expect(refused(() => parseUri('palisade://p/dispatches/a'))).toBe(true);
    expect(refused(() => parseUri('palisade://p/subagent/a'))).toBe(true);
    expect(refused(() => buildUri({ project: 'p', type: 'dispatches' as never, name: 'a' }))).toBe(true);
  });

  it('DI-015: dots, control characters, U+001F and escapes are refused in every segment by the parser itself', () => {
    for (const bad of [
      '.',
      '..',
      'a..b',
      'a\u001fb',
      'a\nb',
      'a\u0000',
      'a%2fb',
      'a?b',
      'a#b',
      'a b',
      'ä',
      '-a',
    ]) {
      for (const text of [`palisade://${bad}/agent/a`, `palisade://p/${bad}/a`, `palisade://p/agent/${bad}`])
        expect(
          refused(() => parseUri(text)),
          JSON.stringify(text),
        ).toBe(true);
      expect(refused(() => buildUri({ project: 'p', type: 'agent', name: bad }))).toBe(true);
      expect(refused(() => buildUri({ project: bad, type: 'agent', name: 'a' }))).toBe(true);
      expect(refused(() => parseStorageUri(`palisade://p/dispatches/d/${bad}`))).toBe(true);
    }
    expect(refused(() => buildUri({ project: 'p', type: 'agent', name: 'a/b' }))).toBe(true);
  });

  it('addresses of the old name are read and written as ours', () => {
    expect(parseUri(`pangolin://acme/subagent/a/${HASH}`)).toEqual({
      project: 'acme',
      type: 'agent',
      name: 'a',
      hash: HASH,
    });
    expect(buildUri(parseUri('pangolin://acme/capability/c'))).toBe('palisade://acme/capability/c');
  });

  it('DI-012: records have their own form, whose suffix may nest', () => {
    const text = 'palisade://p/dispatches/run_1/undelivered/run.completed.json';
    const parsed = parseStorageUri(text);
    expect(parsed).toEqual({
      kind: 'record',
      project: 'p',
      id: 'run_1',
      suffix: 'undelivered/run.completed.json',
    });
    expect(parsed.kind === 'record' ? buildRecordUri(parsed) : '').toBe(text);
    expect(parseStorageUri('palisade://p/agent/a')).toMatchObject({ kind: 'blob', name: 'a' });
    for (const bad of ['palisade://p/dispatches', 'palisade://p/dispatches/', 'palisade://p/dispatches/d//x'])
      expect(refused(() => parseStorageUri(bad))).toBe(true);
  });
});
