import { contentHash } from '@palisade/contracts';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Database } from '../database/database.ts';
import { eachDatabase } from '../testing/index.ts';
import { revisionMigrations } from './revision-migrations.ts';
import {
  giveName,
  latestRevision,
  listNames,
  listRevisions,
  namesOf,
  ownerOf,
  registerRevision,
  removeName,
  revisionByHash,
  revisionHashes,
} from './revisions.ts';

/** Names of a kind in the project these tests are about. */
const of = (kind = 'agent', project = 'default') => ({ project, kind });
const [A, B, C] = [contentHash('A'), contentHash('B'), contentHash('C')];

eachDatabase('revisions', (openDatabase) => {
  const open = (wallClock?: () => number): Promise<Database> =>
    openDatabase({ migrations: revisionMigrations, ...(wallClock === undefined ? {} : { wallClock }) });
  const register = (database: Database, name: string, hash = A, kind = 'agent') =>
    database.write((tx) => registerRevision(tx, { ...of(kind), name, hash }));
  const latest = (database: Database, name: string, kind = 'agent') =>
    database.read((tx) => latestRevision(tx, of(kind), name));

  it('DI-029: registering A, B, A makes A the latest again, and registering the latest changes nothing', async () => {
    const database = await open();
    expect((await register(database, 'a', A)).created).toBe(true);
    expect((await register(database, 'a', A)).created).toBe(false);
    await register(database, 'a', B);
    const again = await register(database, 'a', A);
    expect(again).toMatchObject({ created: true, revision: { revision: 3, hash: A } });
    expect(await latest(database, 'a')).toEqual(again.revision);
    const history = await database.read((tx) => listRevisions(tx, of(), 'a', { limit: 10 }));
    expect(history.map(({ revision, hash }) => [revision, hash])).toEqual([
      [3, A],
      [2, B],
      [1, A],
    ]);
  });

  it('DI-050: a name belongs to whoever gave it a meaning, until it has none', async () => {
    const database = await open();
    const give = (name: string, owner: string | null, hash = A) =>
      database.write((tx) => registerRevision(tx, { ...of(), name, hash }, owner));
    const owner = (name: string) => database.read((tx) => ownerOf(tx, of(), name));
    const owned = async (whose: string) =>
      (await database.read((tx) => namesOf(tx, 'default', whose))).map(({ name, hash }) => [name, hash]);
    await give('b', 'x');
    await give('a', 'x');
    await give('free', null);
    await give('a', 'y', B);
    expect([await owner('a'), await owner('free'), await owner('none')]).toEqual(['x', null, null]);
    expect(await owned('x')).toEqual([
      ['a', B],
      ['b', A],
    ]);
    await database.write((tx) => giveName(tx, of(), 'b', 'y'));
    expect(await owned('y')).toEqual([['b', A]]);
    await database.write((tx) => removeName(tx, of(), 'a'));
    expect(await owned('x')).toEqual([]);
    await give('a', null);
    expect(await owner('a')).toBeNull();
  });

  it('DI-029: latest follows registration order even when the wall clock goes back', async () => {
    let wall = 1_000_000;
    const database = await open(() => wall);
    await register(database, 'a', A);
    wall = 5;
    const second = await register(database, 'a', B);
    expect((await latest(database, 'a'))?.hash).toBe(B);
    expect(second.revision.registeredAt).toBeGreaterThanOrEqual(1_000_000);
  });

  it('DI-022 DI-029: any history of registrations has the last one as latest and is listed newest first, without gaps', async () => {
    const database = await open();
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(A, B, C), { minLength: 1, maxLength: 12 }),
        async (hashes) => {
          const name = `n${round++}`;
          for (const hash of hashes) await register(database, name, hash);
          const changes = hashes.filter((hash, i) => hash !== hashes[i - 1]);
          const history = await database.read((tx) => listRevisions(tx, of(), name, { limit: 100 }));
          expect(history.map(({ hash }) => hash)).toEqual(changes.toReversed());
          expect(history.map(({ revision }) => revision)).toEqual(changes.map((_, i) => changes.length - i));
          expect((await latest(database, name))?.hash).toBe(hashes.at(-1));
        },
      ),
      { numRuns: 25 },
    );
  });

  it('DI-029: concurrent registrations through several connections each get their own revision', async () => {
    const databases = [await open(), await open()];
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        register(databases[i % 2] as Database, 'busy', contentHash(`${i}`)),
      ),
    );
    const numbers = made.map(({ revision }) => revision.revision).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
    const last = made.find(({ revision }) => revision.revision === 30);
    expect(await latest(databases[0] as Database, 'busy')).toEqual(last?.revision);
  });

  it('DI-023: content is found by its address, within its kind', async () => {
    const database = await open();
    await register(database, 'second', A);
    await register(database, 'first', A);
    await register(database, 'first', B);
    await register(database, 'first', A);
    const found = await database.read((tx) => revisionByHash(tx, of(), A));
    expect(found).toMatchObject({ name: 'first', revision: 3 });
    expect(await database.read((tx) => revisionByHash(tx, of('capability'), A))).toBeNull();
    expect(await database.read((tx) => revisionByHash(tx, of(), C))).toBeNull();
  });

  it('DI-024: names are listed a page at a time, one latest row each, and kinds do not mix', async () => {
    const database = await open();
    for (const name of ['d', 'b', 'a', 'e', 'c']) {
      await register(database, name, A);
      await register(database, name, B);
    }
    await register(database, 'other', A, 'capability');
    const seen: string[] = [];
    for (let after: string | undefined; ; ) {
      const from = after;
      const page = await database.read((tx) => listNames(tx, of(), { after: from, limit: 2 }));
      expect(page.revisions.every(({ hash, revision }) => hash === B && revision === 2)).toBe(true);
      seen.push(...page.revisions.map(({ name }) => name));
      if (page.next === null) break;
      after = page.next;
    }
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(await latest(database, 'other')).toBeNull();
  });

  it('DI-030: every address that any revision refers to is enumerated once', async () => {
    const database = await open();
    for (const [name, hash] of [
      ['a', A],
      ['a', B],
      ['a', A],
      ['b', B],
    ] as const)
      await register(database, name, hash);
    await register(database, 'c', C, 'capability');
    const first = await database.read((tx) => revisionHashes(tx, { limit: 2 }));
    const rest = await database.read((tx) => revisionHashes(tx, { after: first[1] ?? '', limit: 2 }));
    expect([...first, ...rest]).toEqual([A, B, C].sort());
  });

  it('DI-040: a removed name means nothing, keeps its revisions by address, and goes on counting when it is registered again', async () => {
    const database = await open();
    await register(database, 'a', A);
    await register(database, 'a', B);
    const remove = () => database.write((tx) => removeName(tx, of(), 'a'));
    expect([await remove(), await remove()]).toEqual([true, false]);
    expect(await latest(database, 'a')).toBeNull();
    expect((await database.read((tx) => listNames(tx, of(), { limit: 9 }))).revisions).toEqual([]);
    expect(await database.read((tx) => revisionByHash(tx, of(), A))).toMatchObject({ revision: 1 });
    expect(await database.read((tx) => revisionHashes(tx, { limit: 9 }))).toEqual([A, B].sort());
    expect(await register(database, 'a', B)).toMatchObject({ created: true, revision: { revision: 3 } });
    expect((await latest(database, 'a'))?.hash).toBe(B);
  });

  it('AC-005: a name and an address mean something within their project alone', async () => {
    const database = await open();
    const other = of('agent', 'other');
    await register(database, 'a', A);
    await database.write((tx) => registerRevision(tx, { ...other, name: 'a', hash: B }, 'x'));
    expect((await latest(database, 'a'))?.hash).toBe(A);
    const seen = await database.read(async (tx) => [
      (await latestRevision(tx, other, 'a'))?.revision,
      await revisionByHash(tx, other, A),
      await revisionByHash(tx, of(), B),
      (await listNames(tx, other, { limit: 9 })).revisions.length,
      (await listRevisions(tx, other, 'a', { limit: 9 })).length,
      await namesOf(tx, 'default', 'x'),
      await ownerOf(tx, of(), 'a'),
    ]);
    expect(seen).toEqual([1, null, null, 1, 1, [], null]);
    await database.write((tx) => removeName(tx, other, 'a'));
    expect((await latest(database, 'a'))?.hash).toBe(A);
  });

  it('a registration that rolls back leaves the pointer where it was', async () => {
    const database = await open();
    await register(database, 'a', A);
    await expect(
      database.write(async (tx) => {
        await registerRevision(tx, { ...of(), name: 'a', hash: B });
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect((await latest(database, 'a'))?.hash).toBe(A);
    expect((await register(database, 'a', C)).revision.revision).toBe(2);
  });
});
