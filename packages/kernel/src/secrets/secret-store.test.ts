import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Database } from '../database/database.ts';
import { eachDatabase } from '../testing/index.ts';
import { MasterKey } from './master-key.ts';
import { rekey } from './rekey.ts';
import { secretMigrations } from './secret-migrations.ts';
import { formatSecretRef, parseSecretRef } from './secret-ref.ts';
import { type SecretStore, secretStore } from './secret-store.ts';

const KEY = new MasterKey(Buffer.alloc(32, 1));
const OTHER = new MasterKey(Buffer.alloc(32, 2));

eachDatabase('secrets', (openDatabase, dialect) => {
  let wall = 1_000_000;
  const open = (): Promise<Database> => openDatabase({ migrations: secretMigrations, wallClock: () => wall });
  const stores = async (): Promise<{ database: Database; store: SecretStore }> => {
    const database = await open();
    return { database, store: secretStore({ database, masterKey: KEY }) };
  };
  const one = async (store: SecretStore, ref: string): Promise<string | undefined> =>
    (await store.resolve([ref]))[0];

  it('EX-200: versions are kept; a reference means the latest or exactly one', async () => {
    const { store } = await stores();
    expect(await store.put('token', 'first')).toMatchObject({
      version: 1,
      ref: 'secret:token@1',
      created: true,
    });
    expect(await store.rotate('token', 'second')).toMatchObject({ version: 2 });
    expect(await store.resolve(['secret:token', 'secret:token@1', 'secret:token@2'])).toEqual([
      'second',
      'first',
      'second',
    ]);
    for (const ref of ['secret:token@3', 'secret:other'])
      await expect(store.resolve([ref])).rejects.toMatchObject({ code: 'secret_missing' });
  });

  it('DI-156: putting the value that is there already keeps its version', async () => {
    const { store } = await stores();
    await store.put('token', 'same');
    expect(await store.put('token', 'same')).toMatchObject({ version: 1, created: false });
    expect(await store.put('token', 'new')).toMatchObject({ version: 2, created: true });
    expect(await store.put('token', 'same')).toMatchObject({ version: 3, created: true });
    expect(await store.rotate('token', 'same')).toMatchObject({ version: 4, created: true });
  });

  it('rotation needs a secret that exists', async () => {
    const { store } = await stores();
    await expect(store.rotate('token', 'x')).rejects.toMatchObject({ code: 'secret_missing' });
  });

  it('DI-156: expiry is enforced by protected time, and the instant of expiry is expired', async () => {
    const { store } = await stores();
    const { expires_at } = await store.put('token', 'brief', { ttlMs: 1000 });
    wall = (expires_at ?? 0) - 1;
    expect(await one(store, 'secret:token')).toBe('brief');
    wall = expires_at ?? 0;
    for (const ref of ['secret:token', 'secret:token@1'])
      await expect(one(store, ref)).rejects.toMatchObject({ code: 'secret_expired' });
    // A clock that is set back does not bring it back.
    wall = 5;
    await expect(one(store, 'secret:token')).rejects.toMatchObject({ code: 'secret_expired' });
    await store.put('unread', 'value', { ttlMs: 1 });
    wall = (expires_at ?? 0) + 10;
    expect(await store.sweep()).toBe(1);
    expect(await store.sweep()).toBe(0);
    await expect(one(store, 'secret:token')).rejects.toMatchObject({ code: 'secret_expired' });
    expect(await store.put('token', 'brief')).toMatchObject({ version: 2, expires_at: null });
    expect(await one(store, 'secret:token')).toBe('brief');
  });

  it('DI-156: putting an unexpired value again renews or lifts its expiry', async () => {
    const { store } = await stores();
    const first = await store.put('token', 'value', { ttlMs: 1000 });
    wall += 500;
    const renewed = await store.put('token', 'value', { ttlMs: 1000 });
    expect(renewed).toMatchObject({ version: 1, created: false });
    expect((renewed.expires_at ?? 0) - (first.expires_at ?? 0)).toBeGreaterThanOrEqual(500);
    wall = first.expires_at ?? 0;
    expect(await one(store, 'secret:token@1')).toBe('value');
    expect(await store.put('token', 'value')).toMatchObject({ version: 1, expires_at: null });
    wall += 1_000_000;
    expect(await one(store, 'secret:token@1')).toBe('value');
    const dead = await store.put('dead', 'at once', { ttlMs: 0 });
    await expect(one(store, dead.ref)).rejects.toMatchObject({ code: 'secret_expired' });
  });

  it('EX-200: the wrong key is secret_undecryptable, never missing, and nothing mixes keys', async () => {
    const { database, store } = await stores();
    await store.put('token', 'value');
    const wrong = secretStore({ database, masterKey: OTHER });
    const failure: unknown = await wrong.resolve(['secret:token']).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'secret_undecryptable', why: expect.stringContaining(KEY.id) });
    await expect(wrong.put('another', 'x')).rejects.toMatchObject({ code: 'secret_undecryptable' });
    await expect(wrong.resolve(['secret:none'])).rejects.toMatchObject({ code: 'secret_missing' });
    expect(await one(store, 'secret:token')).toBe('value');
    await wrong.remove('token');
    expect(await wrong.put('token', 'under the other key')).toMatchObject({ version: 2 });
  });

  it('without a key metadata is readable, and values are neither put nor resolved', async () => {
    const { database, store } = await stores();
    await store.put('token', 'value');
    const keyless = secretStore({ database, masterKey: null });
    expect((await keyless.list({ limit: 10 })).map(({ name }) => name)).toEqual(['token']);
    await keyless.check(['secret:token']);
    for (const attempt of [() => keyless.put('x', 'y'), () => keyless.resolve(['secret:token'])])
      await expect(attempt()).rejects.toMatchObject({ code: 'master_key_missing' });
    expect(() => keyless.fingerprint('x')).toThrow('master key');
  });

  it('EX-200: a ciphertext is bound to its project, name, version and expiry', async () => {
    const { database, store } = await stores();
    await store.put('a', 'value of a');
    await store.put('b', 'value of b');
    await store.put('c', 'brief', { ttlMs: 1000 });
    await secretStore({ database, masterKey: KEY, project: 'other' }).put('a', 'of the other project');
    const sql = (text: string): Promise<number> => database.write((tx) => tx.sql.run(text));
    const sealedOf = (where: string): string => `(SELECT sealed FROM kernel_secret_versions WHERE ${where})`;
    await sql(`UPDATE kernel_secret_versions SET sealed = ${sealedOf("name = 'b'")}
      WHERE name = 'a' AND project = 'default'`);
    await expect(one(store, 'secret:a')).rejects.toMatchObject({ code: 'secret_undecryptable' });
    await sql(`UPDATE kernel_secret_versions SET sealed = ${sealedOf("name = 'a' AND project = 'other'")}
      WHERE name = 'a' AND project = 'default'`);
    await expect(one(store, 'secret:a')).rejects.toMatchObject({ code: 'secret_undecryptable' });
    await sql("UPDATE kernel_secret_versions SET expires_at = expires_at + 1000 WHERE name = 'c'");
    await expect(one(store, 'secret:c')).rejects.toMatchObject({ code: 'secret_undecryptable' });
    // Putting the value again repairs it.
    await store.put('a', 'value of a');
    expect(await one(store, 'secret:a')).toBe('value of a');
  });

  it('EX-200: projects do not see each other', async () => {
    const { database, store } = await stores();
    const other = secretStore({ database, masterKey: KEY, project: 'other' });
    await store.put('token', 'mine');
    await expect(one(other, 'secret:token')).rejects.toMatchObject({ code: 'secret_missing' });
    expect(await other.list({ limit: 10 })).toEqual([]);
    expect(await other.remove('token')).toBe(false);
    expect(await one(store, 'secret:token')).toBe('mine');
  });

  it('a removed secret is missing, and its version numbers are never given to another value', async () => {
    const { store } = await stores();
    await store.put('token', 'old');
    expect(await store.remove('token')).toBe(true);
    expect(await store.remove('token')).toBe(false);
    for (const ref of ['secret:token', 'secret:token@1'])
      await expect(one(store, ref)).rejects.toMatchObject({ code: 'secret_missing' });
    await expect(store.rotate('token', 'x')).rejects.toMatchObject({ code: 'secret_missing' });
    expect(await store.put('token', 'old')).toMatchObject({ version: 2 });
    await expect(one(store, 'secret:token@1')).rejects.toMatchObject({ code: 'secret_missing' });
  });

  it('EX-200: listing shows metadata only, in order', async () => {
    const { store } = await stores();
    for (const name of ['c', 'a', 'b']) await store.put(name, `value of ${name}`, { ttlMs: 1000 });
    const facts = await store.list({ after: 'a', limit: 1 });
    expect(Object.keys(facts[0] ?? {}).sort()).toEqual([
      'created_at',
      'expires_at',
      'name',
      'updated_at',
      'version',
    ]);
    expect(facts[0]?.name).toBe('b');
  });

  it('concurrent puts through several connections each get their own version', async () => {
    const { store } = await stores();
    const second = secretStore({ database: await open(), masterKey: KEY });
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? store : second).put('token', `value ${i}`)),
    );
    expect(made.map(({ version }) => version).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
    for (const [i, { ref }] of made.entries()) expect(await one(store, ref)).toBe(`value ${i}`);
  });

  it('re-keying moves all or nothing', async () => {
    const { database, store } = await stores();
    for (let i = 0; i < 20; i++) await store.put(`s${i}`, `value ${i}`);
    await database.write((tx) =>
      tx.sql.run("UPDATE kernel_secret_versions SET sealed = 'AAAA' WHERE name = 's9'"),
    );
    await expect(rekey(database, KEY, OTHER)).rejects.toMatchObject({ code: 'secret_undecryptable' });
    expect(await one(store, 'secret:s0')).toBe('value 0');
    await store.put('s9', 'value 9');
    await store.remove('s9');
    expect(await rekey(database, KEY, OTHER)).toBe(19);
    expect(await rekey(database, KEY, OTHER)).toBe(0);
    expect(await one(secretStore({ database, masterKey: OTHER }), 'secret:s0')).toBe('value 0');
  });

  it('values that could not be used are refused without being shown', async () => {
    const { store } = await stores();
    await expect(store.put('big', 'x'.repeat(65_537))).rejects.toMatchObject({ code: 'too_large' });
    for (const value of ['', '\ud800'])
      await expect(store.put('odd', value)).rejects.toMatchObject({ code: 'invalid_input' });
    for (const name of ['', 'a@1', 'a/b', 'a b', '.a', 'a\u0000'])
      await expect(store.put(name, 'x'), name).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it.runIf(dialect === 'sqlite')('EX-202: a value occurs in no database file and in no error', async () => {
    const { database, store } = await stores();
    const canary = 'canary-1f6c2f7e';
    await store.put('token', canary);
    await store.put('token', `${canary}-rotated`, { ttlMs: 10 });
    const errors: unknown[] = [];
    const wrong = secretStore({ database, masterKey: OTHER });
    for (const attempt of [
      () => wrong.resolve(['secret:token']),
      () => wrong.put('token', canary),
      () => store.put(`${canary}@`, 'x'),
      () => store.put('token', `${canary}\ud800`),
      () => store.put('token', canary.repeat(6000)),
      () => store.resolve([canary]),
    ])
      errors.push(
        await attempt().then(
          () => 'no error',
          (error: unknown) => error,
        ),
      );
    expect(errors).not.toContain('no error');
    expect(inspect(errors, { depth: 9 })).not.toContain(canary);
    const directory = dirname(openDatabase.url());
    let scanned = 0;
    for (const file of await readdir(directory)) {
      const bytes = await readFile(join(directory, file));
      scanned += bytes.length;
      for (const form of [
        canary,
        Buffer.from(canary).toString('base64').slice(0, 16),
        Buffer.from(canary).toString('hex'),
      ])
        expect(bytes.includes(form), `${file} holds the value`).toBe(false);
    }
    expect(scanned).toBeGreaterThan(4096);
  });
});

describe('references', () => {
  it('parse and format are the identity, and everything else is refused without being shown', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:~-]{0,40}$/),
        fc.option(fc.integer({ min: 1, max: 999_999 }), { nil: undefined }),
        (name, version) => {
          const ref = version === undefined ? { name } : { name, version };
          expect(parseSecretRef(formatSecretRef(ref))).toEqual(ref);
        },
      ),
    );
    for (const text of [
      '',
      'token',
      'secret:',
      'secret:@1',
      'secret:a@',
      'secret:a@0',
      'secret:a@01',
      'secret:a@1x',
      'secret:a@b@1',
      'secret:a/b',
      ' secret:a',
      'secret:a\n',
      'Secret:a',
    ])
      expect(() => parseSecretRef(text), text).toThrow('a secret reference is');
  });
});
