import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { probeMigrations as migrations } from '../../../test/probe-schema.ts';
import { type Database, openDatabase } from '../../index.ts';

const MEGABYTE = 'x'.repeat(1_048_576);

describe('SQLite in trouble', () => {
  let directory: string;
  let path: string;
  let database: Database;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'palisade-trouble-'));
    path = join(directory, 'palisade.db');
    database = await openDatabase({ url: path, migrations });
  });
  afterEach(async () => {
    await database.close();
    await rm(directory, { recursive: true, force: true });
  });

  const insert = (id: string, note: string): Promise<number> =>
    database.write((tx) => tx.sql.run('INSERT INTO probe (id, n, note) VALUES (?, 0, ?)', [id, note]));
  const ids = async (): Promise<unknown[]> =>
    (await database.read((tx) => tx.sql.all('SELECT id FROM probe ORDER BY id'))).map(({ id }) => id);

  it('what is no regular file is refused at once, and a link to one is not', async () => {
    for (const suffix of ['', '-wal', '-shm', '-journal']) {
      const url = join(directory, `pipe${suffix}.db`);
      execFileSync('mkfifo', [`${url}${suffix}`]);
      const opened = openDatabase({ url, migrations });
      await expect(opened, suffix).rejects.toMatchObject({
        code: 'integrity_mismatch',
        message: `${url}${suffix} is no regular file`,
      });
    }
    await expect(openDatabase({ url: directory, migrations })).rejects.toMatchObject({
      code: 'integrity_mismatch',
    });
    await symlink(path, join(directory, 'link.db'));
    await (await openDatabase({ url: join(directory, 'link.db'), migrations })).close();
  });

  it('a full disk fails the bodies that do not fit by name and nobody else, and passes', async () => {
    // The size limit of a connection, set from inside it, is a disk that is full for this process alone.
    const limit = (pages: number): Promise<unknown> =>
      database.write((tx) => tx.sql.get(`PRAGMA max_page_count = ${pages}`));
    await insert('before', '');
    const { page_count: pages } = (await database.read((tx) => tx.sql.get('PRAGMA page_count'))) as {
      page_count: number;
    };
    await limit(pages + 20);
    const outcomes = await Promise.allSettled([
      insert('a-small', ''),
      insert('b-big', MEGABYTE),
      insert('c-small', ''),
      insert('d-big', MEGABYTE),
      insert('e-small', ''),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(outcomes[1]).toMatchObject({ reason: { name: 'PalisadeError', code: 'storage_full' } });
    expect(await ids()).toEqual(['a-small', 'before', 'c-small', 'e-small']);
    await limit(1_000_000);
    await insert('f-big', MEGABYTE);
    expect(await ids()).toContain('f-big');
  });

  it('FF-086: a lock that another process holds is waited out without stopping the event loop', async () => {
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const waiting = insert('waited', '');
    let turns = 0;
    const started = performance.now();
    while (performance.now() - started < 200) {
      await new Promise((resolve) => setImmediate(resolve));
      turns++;
    }
    expect(turns).toBeGreaterThan(50);
    expect(await ids()).toEqual([]);
    other.exec('COMMIT');
    other.close();
    await waiting;
    expect(await ids()).toEqual(['waited']);
  });

  it('a commit that fails for one body does not take its neighbours with it', async () => {
    await database.write((tx) => tx.sql.run("INSERT INTO probe (id, n) VALUES ('parent', 0)"));
    // A deferred foreign key fails at the shared COMMIT, not in the body's own savepoint.
    const setup = new DatabaseSync(path);
    setup.exec('CREATE TABLE child (of TEXT NOT NULL REFERENCES probe (id) DEFERRABLE INITIALLY DEFERRED)');
    setup.close();
    let runs = 0;
    const child = (of: string): Promise<number> =>
      database.write((tx) => {
        runs++;
        return tx.sql.run('INSERT INTO child (of) VALUES (?)', [of]);
      });
    const outcomes = await Promise.allSettled([child('parent'), child('nobody'), child('parent')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(runs).toBeGreaterThan(3);
    expect(await database.read((tx) => tx.sql.all('SELECT of FROM child'))).toHaveLength(2);
  });

  it('FF-087: reading and writing side by side keeps the log bounded', async () => {
    for (let round = 0; round < 60; round++) {
      await Promise.all(
        Array.from({ length: 100 }, (_, i) => insert(`${round}-${i}`, 'y'.repeat(1_000))).concat(
          Array.from({ length: 10 }, () =>
            database.read(async (tx) => (await tx.sql.all('SELECT id FROM probe')).length),
          ),
        ),
      );
    }
    const log = await stat(`${path}-wal`);
    const file = await stat(path);
    // Of the 4 MB written up to a thousand rows and one batch may still be in the log, whatever the timing.
    expect(file.size).toBeGreaterThan(2_000_000);
    expect(log.size).toBeLessThan(40_000_000);
  });

  it('FF-089: a log that a stopped reader keeps from shrinking is warned about with the name of that process, and writing goes on', async () => {
    const warnings: string[] = [];
    await database.close();
    database = await openDatabase({ url: path, migrations, onWarning: (text) => warnings.push(text) });
    await insert('before', '');
    const reader = spawn(
      process.execPath,
      [
        '-e',
        "const db = new (require('node:sqlite').DatabaseSync)(process.argv[1], { readOnly: true }); db.exec('BEGIN'); db.prepare('SELECT * FROM probe').all(); console.log('reads'); setInterval(() => {}, 1000)",
        path,
      ],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    onTestFinished(() => void reader.kill('SIGKILL'));
    await once(reader.stdout, 'data');
    reader.kill('SIGSTOP');
    for (let i = 0; i < 90; i++) await insert(`big-${i}`, MEGABYTE);
    await expect.poll(() => warnings).toHaveLength(1);
    expect(warnings[0]).toContain('keeps a snapshot open');
    expect(warnings[0]).toMatch(new RegExp(`pid ${reader.pid} \\(.+, stopped\\)`));
    await insert('after', '');
    expect(await ids()).toHaveLength(92);
    reader.kill('SIGKILL');
    await once(reader, 'exit');
    // With nobody in its way the log is moved, and used from its beginning again.
    for (let i = 0; i < 40; i++) await insert(`more-${i}`, MEGABYTE);
    expect((await stat(`${path}-wal`)).size).toBeLessThan(160 * MEGABYTE.length);
    expect(warnings).toHaveLength(1);
  });

  it('a damaged file is called damaged at once, not busy, also while somebody has it open', async () => {
    await insert('before', '');
    const damaged = { code: 'integrity_mismatch', message: 'the database file is damaged' };
    await truncate(path, 0);
    const asked = performance.now();
    await expect(openDatabase({ url: path, migrations })).rejects.toMatchObject(damaged);
    expect(performance.now() - asked).toBeLessThan(10_000);
    const other = join(directory, 'other.db');
    await writeFile(other, 'x'.repeat(8_192));
    await expect(openDatabase({ url: other, migrations })).rejects.toMatchObject(damaged);
  });

  it('the database file is readable by its owner only', async () => {
    for (const name of [path, `${path}-wal`, `${path}-shm`]) expect((await stat(name)).mode & 0o077).toBe(0);
  });
});
