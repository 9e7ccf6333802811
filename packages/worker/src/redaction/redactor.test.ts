import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { REDACTED, Redactor } from './redactor.ts';

const secret = 'c4n@ry/Value+"q" \\ é✓';

function through(redactor: Redactor, pieces: readonly Uint8Array[]): string {
  const stream = redactor.stream();
  return Buffer.concat([...pieces.map((piece) => stream.push(piece)), stream.end()]).toString('utf8');
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  const starts = [0, ...sorted];
  return starts.map((start, i) => bytes.subarray(start, sorted[i]));
}

describe('Redactor', () => {
  const redactor = new Redactor({ TOKEN: secret });

  test('DI-104: a value split anywhere across chunks is replaced and its surroundings are kept', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 30 }),
        fc.string({ maxLength: 30 }),
        fc.array(fc.nat(200), { maxLength: 12 }),
        (before, after, places) => {
          const text = `${before}${secret}${after}`.toWellFormed();
          expect(through(redactor, cut(Buffer.from(text), places))).toBe(
            `${before.toWellFormed()}${REDACTED}${after.toWellFormed()}`,
          );
        },
      ),
    );
  });

  const encodings: [string, (value: string) => string][] = [
    ['base64', (value) => Buffer.from(value).toString('base64')],
    ['base64 at alignment 1', (value) => Buffer.from(`u:${value}`).toString('base64')],
    ['base64 at alignment 2', (value) => Buffer.from(`x${value}:y`).toString('base64')],
    ['base64url', (value) => Buffer.from(value).toString('base64url')],
    ['hex', (value) => Buffer.from(value).toString('hex')],
    ['HEX', (value) => Buffer.from(value).toString('hex').toUpperCase()],
    ['percent-encoding', (value) => encodeURIComponent(value)],
    ['a form field', (value) => new URLSearchParams({ v: value }).toString()],
    ['a JSON string', (value) => JSON.stringify({ value })],
    ['JSON in JSON', (value) => JSON.stringify(JSON.stringify({ value }))],
    [
      'ASCII JSON',
      (value) =>
        JSON.stringify(value).replace(
          /[^ -~]/g,
          (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
        ),
    ],
  ];
  test.each(encodings)('DI-104: %s of a value is recognised', (_name, encode) => {
    const encoded = encode(secret);
    const shown = redactor.text(`before ${encoded} after`);
    expect(shown).toContain(REDACTED);
    for (let at = 0; at + 12 <= encoded.length; at++) {
      const piece = encoded.slice(at, at + 12);
      if (shown.includes(piece)) expect(`before ${encode('')} after u: x :y v= {"value":`).toContain(piece);
    }
  });

  test('EX-202: base64 and hex wrapped into lines are recognised', () => {
    const long =
      'A long secret value that needs more than one line of base64 output to be written, as keys do';
    const wide = new Redactor({ KEY: long });
    for (const width of [60, 76]) {
      for (const code of ['base64', 'hex'] as const) {
        const lines = Buffer.from(`zz${long}`)
          .toString(code)
          .replace(new RegExp(`.{${width}}`, 'g'), '$&\n');
        const shown = through(wide, cut(Buffer.from(lines), [10, 64, 77, 100]));
        expect(shown).toContain(REDACTED);
        expect(shown.length).toBeLessThan(40);
      }
    }
  });

  test('EX-202: every line of a secret that has several is a secret', () => {
    const pem = '-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END KEY-----\n';
    const shown = new Redactor({ PEM: pem }).text('+hkiG9w0BAQEFAASC\n  MIIEvQIBADANBgkq');
    expect(shown).toBe(`+${REDACTED}\n  ${REDACTED}`);
  });

  test('DI-104: a short line of a value with several is hidden on its own', () => {
    const shown = new Redactor({ NETRC: 'machine example.invalid\nhunter\nme\n' }).text('got hunter, me');
    expect(shown).toBe(`got ${REDACTED}, me`);
  });

  test('DI-104: a value under the minimum length is left alone and named', () => {
    const short = new Redactor({ PIN: '1234', TOKEN: secret });
    expect(short.text('at 12:34 1234')).toBe('at 12:34 1234');
    expect(short.tooShort).toEqual(['PIN']);
  });

  test('overlapping secrets leave no piece of either', () => {
    const both = new Redactor({ A: 'abcdefgh', B: 'efghijklmnop' });
    expect(both.text('<abcdefghijklmnop>')).toBe(`<${REDACTED}>`);
  });

  test('a secret cut off by the end of the output does not leave its larger part', () => {
    const shown = through(redactor, [Buffer.from(`tail ${secret.slice(0, -2)}`)]);
    expect(shown).toBe(`tail ${REDACTED}`);
  });

  test('FF-074: bytes that are no UTF-8 pass unchanged, and so does every NUL', () => {
    const bytes = Buffer.from([0, 0xff, 0xfe, 0x80, 0, 0x41, 0xe6, 0xbc]);
    const stream = redactor.stream();
    expect(Buffer.concat([stream.push(bytes), stream.end()])).toEqual(bytes);
  });

  test('five megabytes in one line are redacted in time', () => {
    const bytes = Buffer.from(`${'x'.repeat(2_500_000)}${secret}${'漢'.repeat(800_000)}`);
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += 65_536) pieces.push(bytes.subarray(at, at + 65_536));
    const shown = through(redactor, pieces);
    expect(shown.includes(REDACTED)).toBe(true);
    expect(shown.includes(secret)).toBe(false);
    expect(shown.endsWith('漢')).toBe(true);
  });

  test('several private keys of the usual size, in every encoding and line by line', () => {
    const keys = Object.fromEntries(
      [1, 2, 3].map((i) => {
        const body = randomBytes(1200).toString('base64').replace(/.{64}/g, '$&\n');
        return [`KEY${i}`, `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`];
      }),
    );
    const many = new Redactor({
      ...keys,
      ...Object.fromEntries(Array.from('abcdefghij').map((c) => [c, randomBytes(24).toString('hex')])),
    });
    for (const key of Object.values(keys)) {
      expect(many.text(`<${key}>`)).toBe(`<${REDACTED}>`);
      expect(many.text(JSON.stringify({ key }))).toBe(`{"key":"${REDACTED}"}`);
      expect(many.text(Buffer.from(key).toString('base64').replace(/.{76}/g, '$&\n'))).toMatch(
        /^<redacted:secret>.{0,4}$/,
      );
      const line = key.split('\n')[5] ?? '';
      expect(many.text(`+ ${line}`)).toBe(`+ ${REDACTED}`);
    }
  });

  test('a whole line does not wait for ever because of its last characters, a begun secret does', () => {
    const stream = redactor.stream();
    const first = Buffer.from(secret).toString('base64');
    expect(stream.push(Buffer.from(`ready ${first.slice(0, 3)}\n`)).toString()).toBe('ready ');
    expect(stream.settle().toString()).toBe(`${first.slice(0, 3)}\n`);
    expect(stream.push(Buffer.from(secret.slice(0, 4))).toString()).toBe('');
    expect(stream.settle().toString()).toBe('');
    expect(stream.push(Buffer.from(`${secret.slice(4)}.`)).toString()).toBe(`${REDACTED}.`);
  });
});
