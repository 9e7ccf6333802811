import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TestRepository } from '../../test/history.ts';
import { explain, ranking, repositoryMap, safe } from '../index.ts';

const FILES = { 'src/a.ts': 'export const mine = 1;\n', 'b.ts': "import './src/a.ts';\n" };

function elsewhere(): string {
  const made = mkdtempSync(join(tmpdir(), 'palisade-elsewhere-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function indexed(): Promise<TestRepository> {
  const repository = new TestRepository().commit(
    { files: FILES },
    { files: { 'src/a.ts': 'export const mine = 2;\n' } },
  );
  await repository.index();
  return repository;
}

const databaseOf = ({ directory }: TestRepository) => join(directory, '.git/palisade/memory.db');

describe('a repository that means harm', () => {
  it('DI-042: no spelling of a name leads out of the work tree', async () => {
    using repository = await indexed();
    using memory = await repository.memory();
    for (const name of [
      '"\\056\\056/\\056\\056/etc/passwd"',
      '"\\056palisade/../../x"',
      'src/../../x',
      '"src/\\056/a.ts"',
    ])
      expect(() => explain(memory, name), name).toThrow(expect.objectContaining({ code: 'unsafe_path' }));
  });

  it('DI-042: nothing is read through a folder that a link took the place of, nor by a name that the index holds', async () => {
    using repository = await indexed();
    const outside = elsewhere();
    writeFileSync(join(outside, 'a.ts'), 'export const secretOfAnother = 1;\n');
    using writer = new DatabaseSync(databaseOf(repository));
    const far = join('..', outside.slice(tmpdir().length + 1), 'a.ts');
    writer.prepare("UPDATE tree SET path = ? WHERE path = 'b.ts'").run(far);
    renameSync(join(repository.directory, 'src'), join(repository.directory, 'before'));
    symlinkSync(outside, join(repository.directory, 'src'));
    using memory = await repository.memory();
    expect((await repositoryMap(memory, 1_000, [])).text).not.toContain('secretOfAnother');
    expect(() => safe(memory, 'src/new.ts')).toThrow();
  });

  it('what the index says is a commit is told to git as one, or not at all', async () => {
    using repository = await indexed();
    const precious = join(elsewhere(), 'precious');
    writeFileSync(precious, 'precious');
    using writer = new DatabaseSync(databaseOf(repository));
    writer
      .prepare("UPDATE facts SET value = ? WHERE name = 'heads'")
      .run(JSON.stringify([`--output=${precious}`]));
    using memory = await repository.memory();
    ranking(memory, 5);
    await repository.index();
    expect(readFileSync(precious, 'utf8')).toBe('precious');
  });

  it.each(['memory.db', 'memory.db-wal', ''])(
    'a link in place of .git/palisade/%s is followed nowhere',
    async (name) => {
      using repository = await indexed();
      const outside = elsewhere();
      const place = join(repository.directory, '.git/palisade', name);
      rmSync(place, { recursive: true, force: true });
      symlinkSync(join(outside, name), place);
      await expect(repository.index()).rejects.toMatchObject({ code: 'unsafe_path' });
      expect(existsSync(join(outside, 'memory.db'))).toBe(false);
    },
  );

  it('a pipe in place of the index is not waited for', async () => {
    using repository = await indexed();
    rmSync(databaseOf(repository));
    execFileSync('mkfifo', [databaseOf(repository)]);
    await expect(repository.index()).rejects.toMatchObject({ code: 'invalid_state' });
  });

  it('a view in place of a table is damage, and what is made instead is for its user alone', async () => {
    using repository = await indexed();
    using writer = new DatabaseSync(databaseOf(repository));
    writer.exec(`DROP TABLE facts; CREATE VIEW facts (name, value) AS
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 'heads', i FROM n`);
    writer.close();
    await repository.index();
    using memory = await repository.memory();
    expect(memory.isIndexed).toBe(true);
    expect(statSync(databaseOf(repository)).mode & 0o777).toBe(0o600);
  });

  it('folders of links are no way to the contents of others', async () => {
    using repository = await indexed();
    const outside = elsewhere();
    mkdirSync(join(outside, 'lib'));
    writeFileSync(join(outside, 'lib/package.json'), '{"scripts":{"test":"secret-runner"}}');
    symlinkSync(join(outside, 'lib'), join(repository.directory, 'lib'));
    using memory = await repository.memory();
    expect(JSON.stringify(safe(memory, 'src/a.ts'))).not.toContain('secret-runner');
    expect(() => safe(memory, 'lib/package.json')).toThrow(expect.objectContaining({ code: 'not_found' }));
  });
});
