import { createPublicKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { OPS_KEY, ORIGIN } from '../../test/story.ts';
import { isSignatureOf, rawEd25519, readPublicKey } from '../keys/public-key.ts';
import { parseCheckpoint, signCheckpoint } from './checkpoint.ts';
import { noteKeyId, parseNote, signNote } from './signed-note.ts';

/** SPKI of an Ed25519 key is a fixed prefix and the raw key (RFC 8410). */
const spki = (raw: Buffer) => Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]);

describe('signed notes and checkpoints', () => {
  test("the key id of Go's public checksum database is derived exactly", () => {
    // Its published verifier key: sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8
    const key = Buffer.from('Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8', 'base64');
    expect(key[0]).toBe(1);
    expect(noteKeyId('sum.golang.org', key.subarray(1)).toString(16)).toBe('33de0ae');
    expect(
      createPublicKey({ key: spki(key.subarray(1)), format: 'der', type: 'spki' }).asymmetricKeyType,
    ).toBe('ed25519');
  });

  test('a note has the form of C2SP signed-note byte by byte', async () => {
    const key = readPublicKey(OPS_KEY.publicKeySpkiDer, 'ed25519');
    if (key === null) throw new Error('the test key is unreadable');
    const text =
      'If you think cryptography is the answer\nto your problem,\n\nthen you don’t know what your problem is.\n';
    const note = await signNote(text, 'example.org/key', OPS_KEY);
    const [body, line] = [note.slice(0, text.length + 1), note.slice(text.length + 1)];
    expect(body).toBe(`${text}\n`);
    expect(line).toMatch(/^— example\.org\/key [A-Za-z0-9+/]+={0,2}\n$/);
    const parsed = parseNote(note);
    expect(parsed?.text).toBe(text);
    const [signature] = parsed?.signatures ?? [];
    expect(signature?.name).toBe('example.org/key');
    expect(signature?.keyId).toBe(noteKeyId('example.org/key', rawEd25519(key)));
    expect(isSignatureOf(key, 'ed25519', Buffer.from(text), signature?.signature ?? Buffer.alloc(0))).toBe(
      true,
    );
  });

  test('a checkpoint is read back, and nothing else is read as one', async () => {
    const root = Buffer.alloc(32, 7);
    const note = await signCheckpoint({ origin: ORIGIN, size: 20852163, root }, OPS_KEY);
    expect(parseCheckpoint(note)?.checkpoint).toEqual({ origin: ORIGIN, size: 20852163, root });
    const damaged = [
      note.slice(0, -1),
      note.replace('\n\n', '\n'),
      note.replace('20852163', '020852163'),
      note.replace('20852163', '2085216x'),
      note.replace('20852163', '99999999999999999999'),
      note.replace(root.toString('base64'), Buffer.alloc(31).toString('base64')),
      note.replace('\n\n', '\nextension\n\n'),
      note.replace(`${ORIGIN}\n2`, '\n2'),
      note.replace('— ', '- '),
      note.replace('— ', '—  '),
      `${note}\n`,
      `${note}— no-signature\n`,
      note.replace('log.example', 'log.\u0001example'),
      '',
      '\n\n',
    ];
    for (const text of damaged) expect([text, parseCheckpoint(text)]).toEqual([text, null]);
  });

  test('the longest note is bounded', async () => {
    const note = await signNote('text\n', 'a', OPS_KEY);
    const line = note.slice(note.indexOf('—'));
    expect(parseNote(`text\n\n${line.repeat(16)}`)?.signatures).toHaveLength(16);
    expect(parseNote(`text\n\n${line.repeat(33)}`)).toBeNull();
  });
});
