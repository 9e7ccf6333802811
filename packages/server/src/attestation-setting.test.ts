import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPalisadeError } from '@palisade/contracts';
import { formatVerifierKey, NOTE_KEY_TYPE } from '@palisade/evidence';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Authority, CA, hasOpenssl } from '../../evidence/test/authority.ts';
import { testSigner } from '../../evidence/test/story.ts';
import { attestationSetting } from './attestation-setting.ts';

const keyOf = (seed: number, name: string, type: 1 | 4 = NOTE_KEY_TYPE.cosignature): string =>
  formatVerifierKey(name, testSigner(seed).publicKeySpkiDer.subarray(-32), type);
const KEY = keyOf(1, 'w.example/1');

let place: string;
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'palisade-setting-'));
});
afterAll(() => rmSync(place, { recursive: true }));

function outcome(env: Record<string, string>): string {
  try {
    const { authority, witnesses } = attestationSetting(env);
    return [authority?.name ?? 'none', ...witnesses.map(({ name }) => name)].join(' ');
  } catch (error) {
    return isPalisadeError(error) ? `${error.code}: ${error.message}` : `not ours: ${String(error)}`;
  }
}

describe('the setting of attestation', () => {
  test('DI-228: nobody is asked unless the operator says so', () => {
    const unset: Record<string, string>[] = [{}, { PALISADE_TIMESTAMP_URL: '', PALISADE_WITNESSES: ' , ' }];
    for (const env of unset) {
      expect(outcome(env)).toBe('none');
      expect(attestationSetting(env).trusted).toEqual({});
    }
  });

  test('DI-228: names an authority and witnesses, and proposes them to auditors', () => {
    const env = {
      PALISADE_TIMESTAMP_URL: 'http://tsa.example/stamp',
      PALISADE_WITNESSES: `${KEY} https://w.example/,  ${keyOf(2, 'w.example/2')}   http://127.0.0.1:7380`,
    };
    expect(outcome(env)).toBe('tsa.example/stamp w.example/1 w.example/2');
    expect(attestationSetting(env).trusted).toEqual({
      witnesses: { needed: 2, keys: [KEY, keyOf(2, 'w.example/2')] },
    });
  });

  test.each([
    [
      { PALISADE_TIMESTAMP_URL: 'ftp://tsa.example' },
      /PALISADE_TIMESTAMP_URL must have an https or http address/,
    ],
    [{ PALISADE_TIMESTAMP_URL: 'https://ann:secret@tsa.example' }, /without user, password/],
    [{ PALISADE_TIMESTAMP_URL: 'http://169.254.169.254/' }, /link-local or reserved/],
    [{ PALISADE_TIMESTAMP_CA: '/etc/hostname' }, /without PALISADE_TIMESTAMP_URL/],
    [
      { PALISADE_TIMESTAMP_URL: 'https://tsa.example', PALISADE_TIMESTAMP_CA: '/etc/hostname' },
      /PALISADE_TIMESTAMP_CA must be a file with certificates/,
    ],
    [
      { PALISADE_TIMESTAMP_URL: 'https://tsa.example', PALISADE_TIMESTAMP_CA: '/no/such' },
      /must be a file with certificates/,
    ],
    [{ PALISADE_WITNESSES: 'https://w.example' }, /PALISADE_WITNESSES must be pairs/],
    [{ PALISADE_WITNESSES: KEY }, /PALISADE_WITNESSES must have an https or http address/],
    [{ PALISADE_WITNESSES: `${KEY.replace(/\+.{8}\+/, '+00000000+')} https://w.example` }, /must be pairs/],
    [{ PALISADE_WITNESSES: `${keyOf(1, 'w.example/1', 1)} https://w.example` }, /must be pairs/],
    [{ PALISADE_WITNESSES: `${KEY} https://w.example, ${KEY} https://w.example` }, /names a witness twice/],
  ] as [Record<string, string>, RegExp][])(
    'DI-228: a wrong setting is refused by its name: %j',
    (env, expected) => {
      const said = outcome(env);
      expect(said).toMatch(/^invalid_input: /);
      expect(said).toMatch(expected);
      expect(said).not.toContain('secret');
    },
  );

  test.skipIf(!hasOpenssl)('DI-228: takes the certificates of a PEM file as they are', () => {
    const tsa = new Authority();
    const certificates = [tsa.certify('one', { extensions: CA }), tsa.certify('two', { extensions: CA })];
    tsa.remove();
    const file = join(place, 'ca.pem');
    const pem = certificates.map(
      (der) =>
        `subject=x\n-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`,
    );
    writeFileSync(file, pem.join('\n'));
    const { trusted } = attestationSetting({
      PALISADE_TIMESTAMP_URL: 'https://tsa.example',
      PALISADE_TIMESTAMP_CA: file,
    });
    expect(trusted).toEqual({
      timestamps: { required: false, authorities: certificates.map((der) => der.toString('base64')) },
    });
  });
});
