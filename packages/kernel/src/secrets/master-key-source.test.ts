import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eachDatabase } from '../testing/index.ts';
import { loadMasterKey, MASTER_KEY_FILE, replaceMasterKey } from './master-key-source.ts';
import { secretMigrations } from './secret-migrations.ts';
import { secretStore } from './secret-store.ts';

const HEX = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), `palisade key 'ü' `));
});
afterEach(() => rm(directory, { recursive: true, force: true }));
const load = (create = false, env: Record<string, string> = {}) => loadMasterKey({ directory, create, env });

describe('where the key comes from', () => {
  it('EX-200: the environment, then the named file, then the control directory', async () => {
    const own = await load(true);
    const file = join(directory, 'other.key');
    await writeFile(file, `${HEX.replace('0', '1')}\n`);
    const named = await load(false, { PALISADE_MASTER_KEY_FILE: file });
    const direct = await load(false, { PALISADE_MASTER_KEY: HEX, PALISADE_MASTER_KEY_FILE: file });
    expect(new Set([own.id, named.id, direct.id]).size).toBe(3);
    expect((await load(false)).id).toBe(own.id);
  });

  it('a key file is made once, with mode 0600, by however many ask at once', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => load(true)));
    expect(new Set(keys.map(({ id }) => id)).size).toBe(1);
    expect((await stat(join(directory, MASTER_KEY_FILE))).mode & 0o777).toBe(0o600);
    expect(await readdir(directory)).toEqual([MASTER_KEY_FILE]);
  });

  it('no key, an unreadable one, an open one and a malformed one are master_key_missing and show nothing', async () => {
    await expect(load(false)).rejects.toMatchObject({ code: 'master_key_missing' });
    const path = join(directory, MASTER_KEY_FILE);
    const almost = HEX.slice(1);
    await writeFile(path, almost, { mode: 0o600 });
    for (const env of [{}, { PALISADE_MASTER_KEY: almost }] as Record<string, string>[])
      await expect(load(true, env)).rejects.toSatisfy(
        (error: Error & { code: string }) =>
          error.code === 'master_key_missing' && !error.message.includes(almost.slice(0, 12)),
      );
    expect(await readFile(path, 'utf8')).toBe(almost);
    await writeFile(path, HEX);
    await chmod(path, 0o640);
    await expect(load(false)).rejects.toMatchObject({
      code: 'master_key_missing',
      why: expect.stringContaining('640'),
    });
    await expect(load(false, { PALISADE_MASTER_KEY_FILE: join(directory, 'none') })).rejects.toMatchObject({
      code: 'master_key_missing',
    });
  });
});

eachDatabase('replacing the key', (openDatabase) => {
  it('every secret moves to the new key, the old one is kept aside, and doing it again is safe', async () => {
    const database = await openDatabase({ migrations: secretMigrations });
    const before = secretStore({ database, masterKey: await load(true) });
    await before.put('a', 'value a');
    await before.put('a', 'value b', { ttlMs: 60_000 });
    const { key, resealed } = await replaceMasterKey(database, directory);
    expect(resealed).toBe(2);
    expect((await load(false)).id).toBe(key.id);
    const after = secretStore({ database, masterKey: key });
    expect(await after.resolve(['secret:a', 'secret:a@1'])).toEqual(['value b', 'value a']);
    await expect(before.resolve(['secret:a'])).rejects.toMatchObject({ code: 'secret_undecryptable' });
    await expect(before.put('b', 'x')).rejects.toMatchObject({ code: 'secret_undecryptable' });
    expect((await replaceMasterKey(database, directory)).resealed).toBe(2);
    expect((await readdir(directory)).length).toBe(3);
  });

  it('a replacement that was cut off after the secrets moved is finished by the next', async () => {
    const database = await openDatabase({ migrations: secretMigrations });
    const old = await load(true);
    await secretStore({ database, masterKey: old }).put('a', 'value');
    const oldFile = await readFile(join(directory, MASTER_KEY_FILE));
    const { key } = await replaceMasterKey(database, directory);
    // As it was just before the last rename.
    await writeFile(join(directory, 'master.key.next'), await readFile(join(directory, MASTER_KEY_FILE)), {
      mode: 0o600,
    });
    await writeFile(join(directory, MASTER_KEY_FILE), oldFile);
    const again = await replaceMasterKey(database, directory);
    expect(again).toMatchObject({ resealed: 0, key: { id: key.id } });
    expect(await secretStore({ database, masterKey: await load() }).resolve(['secret:a'])).toEqual(['value']);
  });
});
