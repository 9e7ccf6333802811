import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DsseEnvelope } from '@palisade/contracts';
import { ORIGIN, OPS_KEY, START, TestLog, testSigner } from '../test/story.ts';
import { preAuthEncoding } from './dsse.ts';
import { formatVerifierKey, LogReader, NOTE_KEY_TYPE } from './index.ts';
import { parseCheckpoint } from './log/checkpoint.ts';
import { cosignCheckpoint } from './witness/cosignature.ts';

/*
 * The evidence under programs of others. What they are is in Debian (golang-go, golang-golang-x-mod-dev,
 * python3-securesystemslib) and in npm; without them these tests are skipped.
 */
const GOPATH = '/usr/share/gocode';
const hasGo =
  spawnSync('go', ['version']).status === 0 && existsSync(join(GOPATH, 'src/golang.org/x/mod/sumdb/tlog'));
const PYTHON = '/usr/bin/python3';
const hasLibrary = spawnSync(PYTHON, ['-c', 'import securesystemslib.signer']).status === 0;
const STRANGERS = join(import.meta.dirname, '../test/strangers');
const VECTORS = join(import.meta.dirname, '../vectors');

const rawOf = (spki: Uint8Array): Buffer => Buffer.from(spki.subarray(-32));

/** A log of some hundred leaves on the disk, with the proofs to check. */
async function writeCase(place: string, size: number): Promise<void> {
  const log = new TestLog();
  const leaves = Array.from({ length: size }, (_, i) => Buffer.from(`leaf ${i} of ${'x'.repeat(i % 40)}`));
  // Published in two steps, so that partial tiles of an earlier size are there too.
  log.leaves.leaves.push(...leaves.slice(0, Math.ceil(size / 3)));
  await log.publisher().publish();
  log.leaves.leaves.push(...leaves.slice(Math.ceil(size / 3)));
  await log.publisher().publish();
  for (const [name, bytes] of log.files.files) {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    writeFileSync(join(place, name), bytes);
  }
  const note = log.files.files.get('checkpoint')?.toString('utf8') ?? '';
  const witness = testSigner(7);
  const line = await cosignCheckpoint(
    parseCheckpoint(note)?.note.text ?? '',
    'w.example/1',
    witness,
    START / 1_000,
  );
  writeFileSync(join(place, 'checkpoint'), note + line);
  const reader = new LogReader(log.files);
  const base64 = (hashes: readonly Buffer[]): string[] => hashes.map((hash) => hash.toString('base64'));
  const sizes = [...new Set([1, 2, 3, Math.ceil(size / 3), Math.floor(size / 2), size - 1, size])].filter(
    (n) => n > 0 && n <= size,
  );
  const indexes = [...new Set([0, 1, 2, Math.floor(size / 2), size - 2, size - 1])].filter(
    (i) => i >= 0 && i < size,
  );
  const inclusion = await Promise.all(
    sizes.flatMap((n) =>
      indexes
        .filter((index) => index < n)
        .map(async (Index) => ({ Index, Size: n, Proof: base64(await reader.inclusionFor(Index, n, size)) })),
    ),
  );
  const consistency = await Promise.all(
    sizes.map(async (Old) => ({ Old, Size: size, Proof: base64(await reader.consistencyFor(Old, size)) })),
  );
  writeFileSync(
    join(place, 'case.json'),
    JSON.stringify({
      Verifier: formatVerifierKey(ORIGIN, rawOf(OPS_KEY.publicKeySpkiDer), NOTE_KEY_TYPE.ed25519),
      Leaves: base64(leaves),
      Inclusion: inclusion,
      Consistency: consistency,
      Cosignature: {
        Name: 'w.example/1',
        Key: rawOf(witness.publicKeySpkiDer).toString('base64'),
        Line: line.trimEnd(),
      },
    }),
  );
}

describe('programs of others', () => {
  test.skipIf(!hasGo)(
    "FF-141: the Go team's checksum database code accepts the note, the tiles and every proof",
    async () => {
      const place = mkdtempSync(join(tmpdir(), 'palisade-go-'));
      try {
        const env = {
          PATH: process.env['PATH'],
          HOME: place,
          GOPATH,
          GO111MODULE: 'off',
          GOCACHE: join(place, 'cache'),
          GOFLAGS: '-p=1',
          CGO_ENABLED: '0',
        };
        const binary = join(place, 'log');
        const built = spawnSync('go', ['build', '-o', binary, join(STRANGERS, 'log.go')], {
          env,
          encoding: 'utf8',
        });
        expect(built).toMatchObject({ status: 0, stderr: '' });
        for (const size of [1, 2, 255, 256, 257, 700]) {
          const folder = join(place, String(size));
          mkdirSync(folder);
          await writeCase(folder, size);
          const checked = spawnSync(binary, [folder], { encoding: 'utf8' });
          expect([size, checked.status, checked.stderr]).toEqual([size, 0, '']);
          expect(checked.stdout).toMatch(
            new RegExp(`^note, ${size} leaves, \\d+ inclusion, \\d+ consistency, cosignature`),
          );
        }
        // And it would say so if one of them were wrong.
        for (const [file, spoil] of [
          ['checkpoint', (text: Buffer) => Buffer.from(text.toString().replace('\n700\n', '\n699\n'))],
          [
            'tile/0/001',
            (bytes: Buffer) => Buffer.from(bytes.map((byte, i) => (i === 40 ? byte ^ 1 : byte))),
          ],
          [
            'case.json',
            (text: Buffer) => Buffer.from(text.toString().replace(/"Proof":\["./, '"Proof":["_')),
          ],
        ] as const) {
          const path = join(place, '700', file);
          const good = readFileSync(path);
          writeFileSync(path, spoil(good));
          expect([file, spawnSync(binary, [join(place, '700')]).status]).toEqual([file, 1]);
          writeFileSync(path, good);
        }
      } finally {
        rmSync(place, { recursive: true, force: true });
      }
    },
    180_000,
  );

  test.skipIf(!hasLibrary)(
    "FF-141: in-toto's securesystemslib accepts the signature of the envelope, and no other",
    () => {
      const check = (bundle: string) =>
        spawnSync(
          PYTHON,
          [join(STRANGERS, 'envelope.py'), join(VECTORS, bundle), join(VECTORS, 'trust-root.json')],
          {
            encoding: 'utf8',
          },
        );
      for (const bundle of ['intact.json', 'intact-single.json', 'intact-awkward.json'])
        expect([bundle, check(bundle)]).toMatchObject([bundle, { status: 0, stdout: 'signed\n' }]);
      for (const bundle of ['signature-flipped.json', 'forged-log.json'])
        expect([bundle, check(bundle)]).toMatchObject([bundle, { status: 1, stdout: '' }]);
    },
  );

  const npm = ['/usr/bin/npm', '/usr/local/bin/npm'].find((path) => existsSync(path));
  const core = npm === undefined ? '' : join(dirname(realpathSync(npm)), '../node_modules/@sigstore/core');
  test.skipIf(!existsSync(core))(
    "FF-141: Sigstore's own code, which npm brings, encodes and verifies the envelope alike",
    () => {
      const sigstore = createRequire(import.meta.url)(core) as {
        dsse: { preAuthEncoding(type: string, payload: Buffer): Buffer };
        crypto: {
          verify(data: Buffer, key: unknown, signature: Buffer): boolean;
          createPublicKey(key: Buffer, type: 'spki'): unknown;
        };
      };
      const key = sigstore.crypto.createPublicKey(Buffer.from(OPS_KEY.publicKeySpkiDer), 'spki');
      const outcomes = ['intact', 'intact-single', 'intact-awkward', 'signature-flipped', 'forged-log'].map(
        (name) => {
          const { seal } = JSON.parse(readFileSync(join(VECTORS, `${name}.json`), 'utf8')) as {
            seal: DsseEnvelope;
          };
          const payload = Buffer.from(seal.payload, 'base64');
          const encoded = sigstore.dsse.preAuthEncoding(seal.payloadType, payload);
          expect(encoded.equals(preAuthEncoding(seal.payloadType, payload))).toBe(true);
          return sigstore.crypto.verify(encoded, key, Buffer.from(seal.signatures[0]?.sig ?? '', 'base64'));
        },
      );
      expect(outcomes).toEqual([true, true, true, false, false]);
    },
  );
});
