import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import {
  canonicalHash,
  type EnvironmentDefinition,
  type EnvironmentInput,
  getEnvironment,
  listEnvironments,
  registerEnvironment,
  removeEnvironment,
} from '@palisade/contracts';
import { MasterKey } from '@palisade/kernel';
import { eachDatabase } from '@palisade/kernel/testing';
import { describe, expect, it } from 'vitest';
import { openRegistry, type TestRegistry } from '../../../test/open-registry.ts';
import { mergeEnvironments, stagedSecretName } from './environment.ts';

const CANARY = 'canary-5b0d7a44c1';
const resolved = async ({ registry }: TestRegistry, name: string) => {
  const { definition } = await registry.resolveEnvironment(name);
  return registry.environmentSecrets([definition]);
};

eachDatabase('environments', (open, dialect) => {
  it('DI-046: inline secrets are stored encrypted and only referenced; values stay plain', async () => {
    const room = await openRegistry(open);
    const input = { name: 'prod', values: { MODE: 'fast' }, secrets: { TOKEN: { inline: CANARY } } };
    expect(await room.caller.call(registerEnvironment, input)).toMatchObject({ revision: 1, created: true });
    expect((await room.registry.resolveEnvironment('prod')).definition).toEqual({
      schema_version: 1,
      name: 'prod',
      values: { MODE: 'fast' },
      secrets: { TOKEN: { ref: 'secret:env:prod:TOKEN@1' } },
    });
    expect(await resolved(room, 'prod')).toEqual({ TOKEN: CANARY });
  });

  it('DI-047: registering a new inline value stages it, and identical content changes nothing', async () => {
    const room = await openRegistry(open);
    const register = (value: string) =>
      room.caller.call(registerEnvironment, { name: 'e', secrets: { TOKEN: { inline: value } } });
    const first = await register('one');
    const before = await room.registry.resolveEnvironment('e');
    expect(await register('one')).toEqual({ ...first, created: false });
    const second = await register('two');
    expect(second).toMatchObject({ revision: 2, created: true });
    expect(await resolved(room, 'e')).toEqual({ TOKEN: 'two' });
    // A run that was given the old revision still gets what it was given.
    expect(await room.registry.environmentSecrets([before.definition])).toEqual({ TOKEN: 'one' });
    expect(await register('one')).toMatchObject({ revision: 3, created: true });
    expect(await resolved(room, 'e')).toEqual({ TOKEN: 'one' });
  });

  it('DI-047: inline secrets live until they are removed unless a time was asked for, which is enforced', async () => {
    let wall = 1_000_000;
    const room = await openRegistry(open, { wallClock: () => wall });
    const secrets = { FOREVER: { inline: 'f' }, BRIEF: { inline: 'b', ttl_ms: 1000 } };
    await room.caller.call(registerEnvironment, { name: 'e', secrets });
    expect(await resolved(room, 'e')).toEqual({ FOREVER: 'f', BRIEF: 'b' });
    wall += 10_000_000;
    await expect(resolved(room, 'e')).rejects.toMatchObject({ code: 'secret_expired' });
    const again = await room.caller.call(registerEnvironment, { name: 'e', secrets });
    expect(again).toMatchObject({ revision: 2, created: true });
    expect(await resolved(room, 'e')).toEqual({ FOREVER: 'f', BRIEF: 'b' });
  });

  it('references must mean a secret that exists; rotation is seen at the moment of use', async () => {
    const room = await openRegistry(open);
    const register = (ref: string) =>
      room.caller.call(registerEnvironment, { name: 'e', secrets: { TOKEN: { ref } } });
    await expect(register('secret:shared')).rejects.toMatchObject({ code: 'secret_missing' });
    await expect(register('arn:aws:secretsmanager:x')).rejects.toMatchObject({ code: 'invalid_input' });
    await room.secrets.put('shared', 'old');
    await register('secret:shared');
    await room.secrets.rotate('shared', 'new');
    expect(await resolved(room, 'e')).toEqual({ TOKEN: 'new' });
    await register('secret:shared@1');
    expect(await resolved(room, 'e')).toEqual({ TOKEN: 'old' });
    await room.secrets.remove('shared');
    await expect(resolved(room, 'e')).rejects.toMatchObject({ code: 'secret_missing' });
  });

  it('EX-201: its variables are shown by name and version, never by value; removing it takes the name alone', async () => {
    const room = await openRegistry(open);
    const { caller, registry } = room;
    await room.secrets.put('shared', CANARY);
    const first = await caller.call(registerEnvironment, {
      name: 'e',
      values: { MODE: `${CANARY}-plain` },
      secrets: { TOKEN: { inline: CANARY }, SHARED: { ref: 'secret:shared' } },
    });
    const second = await caller.call(registerEnvironment, {
      name: 'e',
      values: { MODE: 'fast' },
      secrets: { TOKEN: { inline: `${CANARY}-2` }, SHARED: { ref: 'secret:shared' } },
    });
    const shown = await caller.call(getEnvironment, { name: 'e' });
    expect(shown.revisions.map(({ hash }) => hash)).toEqual([second.hash, first.hash]);
    expect(shown.keys).toEqual([
      { key: 'MODE', kind: 'value' },
      { key: 'SHARED', kind: 'secret' },
      { key: 'TOKEN', kind: 'secret', version: 2 },
    ]);
    expect(JSON.stringify(shown)).not.toMatch(/canary|fast|secret:/);
    const remove = () => caller.call(removeEnvironment, { name: 'e' });
    expect([await remove(), await remove()]).toMatchObject([{ removed: true }, { removed: false }]);
    expect(await caller.call(getEnvironment, { name: 'e' })).toEqual({ row: null, revisions: [], keys: [] });
    expect((await caller.call(listEnvironments, {})).data).toEqual([]);
    await expect(registry.resolveEnvironment('e')).rejects.toMatchObject({ code: 'not_found' });
    // What was given by address is still whole, its secrets too.
    const { definition } = await registry.resolveEnvironment(first.hash);
    expect(await registry.environmentSecrets([definition])).toEqual({ SHARED: CANARY, TOKEN: CANARY });
    expect(await caller.call(registerEnvironment, { name: 'e', values: {} })).toMatchObject({ revision: 3 });
  });

  it('DI-046: what is refused is refused before any write', async () => {
    const room = await openRegistry(open);
    const token = ['xo', 'xb-123456789012-abcdef'].join('');
    const inline = { SECRET: { inline: CANARY } };
    const cases: [string, EnvironmentInput][] = [
      ['credential_in_text', { name: 'e', values: { A: token }, secrets: inline }],
      ['secret_missing', { name: 'e', secrets: { ...inline, B: { ref: 'secret:none' } } }],
      ['invalid_input', { name: 'e', values: { A: 'a\u0000b' }, secrets: inline }],
      ['invalid_input', { name: 'e', secrets: { A: { inline: `${CANARY}\u0000` }, ...inline } }],
      ['invalid_input', { name: 'e', values: { PALISADE_MASTER_KEY: 'x' }, secrets: inline }],
      ['invalid_input', { name: 'e', secrets: { 'not a name': { inline: CANARY } } }],
    ];
    for (const [code, input] of cases)
      await expect(room.caller.call(registerEnvironment, input), code).rejects.toMatchObject({ code });
    expect(await room.secrets.list({ limit: 10 })).toEqual([]);
    expect((await room.blobs.list({ limit: 10 })).hashes).toEqual([]);
    const keyless = await openRegistry(open, { masterKey: null });
    await expect(
      keyless.caller.call(registerEnvironment, { name: 'e', secrets: inline }),
    ).rejects.toMatchObject({ code: 'master_key_missing' });
    expect((await keyless.blobs.list({ limit: 10 })).hashes).toEqual([]);
    await keyless.caller.call(registerEnvironment, { name: 'e', values: { A: 'without secrets' } });
  });

  it('DI-048: a value that looks like a credential can be allowed by pattern', async () => {
    const { caller } = await openRegistry(open);
    const values = { A: ['xo', 'xb-123456789012-abcdef'].join('') };
    const input = { name: 'e', values, allow_credential_patterns: ['slack-token'] };
    expect((await caller.call(registerEnvironment, input)).created).toBe(true);
  });

  it('a repeated call is recognised by its secret values too, without keeping anything to guess them by', async () => {
    const { caller, database } = await openRegistry(open);
    const register = (inline: string) =>
      caller.call(registerEnvironment, { name: 'e', secrets: { PIN: { inline } } }, { idempotencyKey: 'k' });
    const first = await register('1234');
    expect(await register('1234')).toEqual(first);
    await expect(register('1235')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    const receipts = await database.read((tx) => tx.sql.all('SELECT * FROM kernel_receipts'));
    const guessed = canonicalHash({ name: 'e', secrets: { PIN: { inline: '1234' } } });
    expect(receipts.length).toBeGreaterThan(0);
    expect(receipts.map(({ fingerprint }) => fingerprint)).not.toContain(guessed);
  });

  it('variables with any allowed name survive', async () => {
    const room = await openRegistry(open);
    const secrets = { constructor: { inline: 'a' }, toString: { inline: 'b' }, _: { inline: 'c' } };
    await room.caller.call(registerEnvironment, { name: 'e', secrets });
    expect(await resolved(room, 'e')).toEqual({ constructor: 'a', toString: 'b', _: 'c' });
  });

  it('EX-202 DI-156: a secret occurs nowhere in the database, the blobs, the answers or the errors', async () => {
    const room = await openRegistry(open);
    const shown: unknown[] = [];
    const call = async (input: EnvironmentInput, idempotencyKey: string): Promise<void> => {
      const answer = room.caller.call(registerEnvironment, input, { idempotencyKey });
      shown.push(await answer.catch((error: unknown) => error));
    };
    await call({ name: 'e', secrets: { TOKEN: { inline: CANARY, ttl_ms: 60_000 } } }, 'a');
    await call({ name: 'e', secrets: { TOKEN: { inline: `${CANARY}-2` } } }, 'b');
    await call({ name: 'e', secrets: { TOKEN: { inline: `${CANARY}-3` } } }, 'b');
    await call({ name: 'e', secrets: { TOKEN: { inline: `${CANARY}\u0000` } } }, 'c');
    await call({ name: 'e', secrets: { TOKEN: { inline: CANARY.repeat(5000) } } }, 'd');
    await call({ name: 'e', secrets: { TOKEN: { inline: 7 as unknown as string, ref: CANARY } } }, 'e');
    await call({ name: 'e', secrets: { TOKEN: { ref: CANARY } } }, 'f');
    shown.push(await room.caller.call(listEnvironments, {}));
    shown.push(await room.caller.call(getEnvironment, { name: 'e' }));
    shown.push(await room.registry.resolveEnvironment('e'));
    shown.push(await room.secrets.list({ limit: 10 }));
    const wrongKey = await openRegistry(open, { masterKey: new MasterKey(Buffer.alloc(32, 9)) });
    const { definition } = await room.registry.resolveEnvironment('e');
    shown.push(await wrongKey.registry.environmentSecrets([definition]).catch((error: unknown) => error));
    expect(shown.filter((value) => value instanceof Error)).toHaveLength(6);
    expect(inspect(shown, { depth: 20, maxStringLength: null })).not.toContain(CANARY);

    const places: [string, Buffer][] = [];
    for (const directory of dialect === 'sqlite'
      ? [dirname(open.url()), room.blobDirectory]
      : [room.blobDirectory])
      for (const entry of await readdir(directory, { recursive: true, withFileTypes: true }))
        if (entry.isFile()) places.push([entry.name, await readFile(join(entry.parentPath, entry.name))]);
    for (const table of [
      'kernel_receipts',
      'kernel_revisions',
      'kernel_secrets',
      'kernel_secret_versions',
      'kernel_events',
    ]) {
      const rows = await room.database.read((tx) => tx.sql.all(`SELECT * FROM ${table}`));
      places.push([table, Buffer.from(JSON.stringify(rows))]);
    }
    expect(places.length).toBeGreaterThan(6);
    const forms = [
      CANARY,
      Buffer.from(CANARY).toString('base64').slice(0, 20),
      Buffer.from(CANARY).toString('hex'),
    ];
    for (const [name, bytes] of places)
      for (const form of forms) expect(bytes.includes(form), `${name} holds the secret`).toBe(false);
    expect(await resolved(room, 'e')).toEqual({ TOKEN: `${CANARY}-2` });
  });
});

describe('merging', () => {
  const definition = (
    values: Record<string, string>,
    secrets: Record<string, string> = {},
  ): EnvironmentDefinition => ({
    schema_version: 1,
    name: 'e',
    values,
    secrets: Object.fromEntries(Object.entries(secrets).map(([key, ref]) => [key, { ref }])),
  });

  it('DI-110: environments apply in order, values then secrets, and what is later wins whichever it is', () => {
    expect(
      mergeEnvironments([
        definition({ A: '1', B: '1', C: '1' }, { C: 'secret:c', D: 'secret:d', E: 'secret:e' }),
        definition({ B: '2', D: 'plain' }, { A: 'secret:a' }),
      ]),
    ).toEqual({
      values: { B: '2', D: 'plain' },
      secretRefs: { A: 'secret:a', C: 'secret:c', E: 'secret:e' },
    });
  });

  it('no two environments share the place of a secret', () => {
    const names = ['a', 'a:b', 'a~40', 'a@', 'a~7e40', 'a~'].map((name) => stagedSecretName(name, 'K'));
    expect(new Set(names).size).toBe(names.length);
    expect(names.join('')).not.toContain('@');
  });
});
