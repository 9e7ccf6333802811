import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { TestRepository } from '../test/history.ts';
import {
  changed,
  decisions,
  doctor,
  explain,
  presentTask,
  ranking,
  repositoryMap,
  startTask,
} from './index.ts';

const INDEX_ONCE = fileURLToPath(new URL('../test/index-once.ts', import.meta.url));

const databaseOf = (repository: TestRepository) => join(repository.directory, '.git/palisade/memory.db');

function history(commits: number): TestRepository {
  const repository = new TestRepository();
  repository.commit(
    ...Array.from({ length: commits }, (_, at) => ({
      files: {
        [`src/f${at % 20}.ts`]: `export const v${at} = ${at};\n`,
        [`src/g${at % 7}.ts`]: `import './f0.ts'; // ${at}\n`,
      },
    })),
  );
  return repository;
}

/** What the index says, without when it was made. */
async function said(repository: TestRepository) {
  using memory = await repository.memory();
  const { indexed_at: _, ...health } = doctor(memory);
  return {
    health,
    ranking: ranking(memory, 1_000).files,
    links: memory.database.all('SELECT * FROM links ORDER BY 1, 2'),
  };
}

/** Memory that a process takes at the most to index it, KiB. */
function peakOfIndex({ directory, now }: TestRepository): number {
  const program = `import ${JSON.stringify(pathToFileURL(INDEX_ONCE).href)};
    process.stdout.write('\\n' + process.resourceUsage().maxRSS);`;
  const output = execFileSync(
    process.execPath,
    ['--input-type=module-typescript', '-e', program, INDEX_ONCE, directory, String(now)],
    { encoding: 'utf8' },
  );
  return Number(output.trim().split('\n').at(-1));
}

describe('index', () => {
  it('answers without one make no file, say that it is missing, and what makes it', async () => {
    using repository = history(3);
    {
      using memory = await repository.memory();
      expect(doctor(memory)).toMatchObject({
        index_status: 'missing',
        repo_db_exists: false,
        recommended_next_command: 'pal repo index',
      });
      expect(changed(memory).index_status).toBe('missing');
      expect(explain(memory, 'src/f0.ts').evidence.notes.join()).toContain('pal repo index makes it');
      expect(() => explain(memory, 'src/none.ts')).toThrow('neither on disk nor in the index');
    }
    expect(existsSync(join(repository.directory, '.git/palisade'))).toBe(false);
  });

  it('is hidden from git and makes no control plane of the folder', async () => {
    using repository = history(2);
    await repository.index();
    expect(repository.git('status', '--porcelain')).toBe('');
    expect(existsSync(join(repository.directory, '.palisade'))).toBe(false);
  });

  it('WM-014, L-07: linked work trees share one index, and files are read in the one that asks', async () => {
    using repository = history(4);
    await repository.index();
    using linked = new TestRepository(join(repository.directory, '../', `linked-${process.pid}`));
    repository.git('worktree', 'add', '--quiet', '-b', 'side', linked.directory);
    linked.write({ 'src/new.ts': "import './f0.ts';\n" });
    using memory = await linked.memory({ now: repository.now });
    expect(memory.repository.databasePath).toBe(databaseOf(repository));
    expect(changed(memory).files.map(({ path }) => path)).toEqual(['src/new.ts']);
    expect(explain(memory, 'src/f0.ts').risk.churn_score).toBe(1);
    expect(doctor(memory)).toMatchObject({
      index_status: 'indexed',
      current_branch: 'side',
      indexed_branch: 'main',
    });
    expect(existsSync(join(linked.directory, '.palisade'))).toBe(false);
  });

  it('a bare repository is refused with what to do', async () => {
    using repository = history(1);
    using bare = new TestRepository();
    repository.git('clone', '--quiet', '--bare', repository.directory, join(bare.directory, 'bare.git'));
    using inside = new TestRepository(join(bare.directory, 'bare.git'));
    await expect(inside.index()).rejects.toMatchObject({
      code: 'invalid_input',
      next: expect.stringContaining('worktree add'),
    });
  });

  it('before the first commit it says so', async () => {
    using repository = new TestRepository();
    await expect(repository.index()).rejects.toMatchObject({ code: 'requirements_unmet' });
    using memory = await repository.memory();
    expect(changed(memory).index_status).toBe('missing');
  });

  it('WM-012, L-04: killed at any moment, there is the index of before or the one of after, and the next call ends it', async () => {
    using repository = history(200);
    using whole = history(200);
    await whole.index();
    for (const wait of [40, 120, 160, 200, 240, 300]) {
      const child = spawn(process.execPath, [INDEX_ONCE, repository.directory, String(repository.now)], {
        stdio: 'ignore',
      });
      await Promise.race([delay(wait), once(child, 'exit')]);
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      using memory = await repository.memory();
      const { churn } = memory.database.get<{ churn: number }>(
        'SELECT COALESCE(SUM(churn), 0) AS churn FROM files',
      ) ?? { churn: -1 };
      expect([0, 400]).toContain(churn);
      expect(memory.isIndexed).toBe(churn > 0);
    }
    await repository.index();
    const [mine, other] = [await said(repository), await said(whole)];
    expect([mine.ranking, mine.links]).toEqual([other.ranking, other.links]);
  });

  it('several processes at once make one index', async () => {
    using repository = history(60);
    const outputs = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const child = spawn(process.execPath, [INDEX_ONCE, repository.directory, String(repository.now)], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const pieces: Buffer[] = [];
        child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
        const [code] = (await once(child, 'close')) as [number];
        return { code, report: JSON.parse(Buffer.concat(pieces).toString()) as { added_commits: number } };
      }),
    );
    expect(outputs.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(outputs.map(({ report }) => report.added_commits).toSorted((a, b) => a - b)).toEqual([0, 0, 60]);
  });

  it.each(['nothing of it is a database', 'a page in the middle is lost'])(
    'a damaged file is put aside and said, and a new index made: %s',
    async (how) => {
      using repository = history(40);
      await repository.index();
      const path = databaseOf(repository);
      if (how.startsWith('nothing')) writeFileSync(path, 'no database '.repeat(1_000));
      else truncateSync(path, 20_000);
      const report = await repository.index({ rebuild: true });
      expect(report.notes.join()).toContain('was damaged');
      expect(report.commit_count).toBe(40);
      expect(
        readdirSync(join(repository.directory, '.git/palisade')).some((name) => name.includes('.damaged-')),
      ).toBe(true);
      expect((await said(repository)).health.index_status).toBe('indexed');
    },
  );

  it('WM-011: an index of an older form is made anew, and what people said stays (L-03)', async () => {
    using repository = history(5);
    await repository.index();
    {
      using memory = await repository.memory({ create: true });
      await startTask(memory, 'Mend the thing', ['src'], false);
    }
    const database = new DatabaseSync(databaseOf(repository));
    database.exec('PRAGMA user_version = 0');
    database.close();
    {
      using memory = await repository.memory();
      expect(doctor(memory).index_status).toBe('missing');
    }
    await repository.index();
    await repository.index({ rebuild: true });
    using memory = await repository.memory();
    expect(presentTask(memory)?.goal).toBe('Mend the thing');
    expect(ranking(memory, 99).files.length).toBeGreaterThan(5);
  });

  it('drops nothing of a database that is not its own', async () => {
    using repository = history(1);
    mkdirSync(join(repository.directory, '.git/palisade'));
    const foreign = new DatabaseSync(databaseOf(repository));
    foreign.exec("CREATE TABLE files (id, name); INSERT INTO files VALUES (1, 'precious')");
    await expect(repository.index()).rejects.toMatchObject({ code: 'invalid_state' });
    expect(foreign.prepare('SELECT name FROM files').get()?.['name']).toBe('precious');
    foreign.close();
  });

  it('repositories side by side have a memory each, and nothing that is checked out is one', async () => {
    using place = new TestRepository();
    const make = async (name: string) => {
      using source = history(1);
      source.commit({ message: `Secret of ${name}\n\nReally.`, files: { [`${name}.ts`]: '' } });
      source.git('clone', '--quiet', '--bare', source.directory, join(place.directory, `${name}.git`));
      source.git(
        '-C',
        join(place.directory, `${name}.git`),
        'worktree',
        'add',
        '--quiet',
        join(place.directory, name),
        'main',
      );
      return new TestRepository(join(place.directory, name));
    };
    const [alpha, beta] = [await make('alpha'), await make('beta')];
    await alpha.index();
    using memory = await beta.memory();
    expect([memory.isIndexed, decisions(memory, 'Secret', 9).data]).toEqual([false, []]);
  });

  it('what was rewritten leaves files where they are', async () => {
    using repository = history(3);
    repository.git('mv', 'src/f0.ts', 'src/moved.ts');
    repository.git('commit', '--quiet', '-m', 'Move');
    await repository.index();
    repository.git('reset', '--quiet', '--hard', 'HEAD~1');
    await repository.index();
    using memory = await repository.memory();
    const { risk, evidence } = explain(memory, 'src/f0.ts');
    expect([risk.path, evidence.notes.join().includes('is called')]).toEqual(['src/f0.ts', false]);
    expect(ranking(memory, 99).files.map(({ path }) => path)).not.toContain('src/moved.ts');
  });

  it('a file that a parser cannot bear, or takes too long for, is indexed and is there without symbols, and the next is read', async () => {
    using repository = history(1);
    repository.write({
      'Bad.java': 'a‹'.repeat(20_000),
      'Slow.ts': '(['.repeat(400_000),
      'Zoo.java': 'class Zoo {}\n',
    });
    const { source_file_count: count, file_count: files } = await repository.index();
    expect([files, count]).toEqual([5, 5]);
    using memory = await repository.memory();
    const { text } = await repositoryMap(memory, 1_000, ['Bad.java', 'Slow.ts', 'Zoo.java']);
    expect(text).toContain('Slow.ts\n  … cannot be read\n');
    expect(text).toContain('Bad.java\n');
    expect(text).toContain('class Zoo :1\n');
  });

  it('the memory an index takes does not grow with what it reads', () => {
    using repository = new TestRepository();
    const text = "import './f0.ts'; export const word = `some ${'text'}`;\n".repeat(17_000);
    repository.commit({
      files: Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`f${at}.ts`, `// ${at}\n${text}`])),
    });
    expect(peakOfIndex(repository)).toBeLessThan(300_000);
  });

  it('nor with what a commit says, who made it and what its files are called; those before and after are there', async () => {
    using repository = new TestRepository();
    const [path, author] = ['n'.repeat(60_000), 'n'.repeat(10_000_000)];
    repository.commit(
      { message: 'Before', files: { 'a.ts': '1' } },
      { message: `Long\n\n${'word '.repeat(20_000_000)}`, files: { 'a.ts': '2', [path]: '' } },
      { message: 'x'.repeat(1_000_000), author: [author, author], files: { 'a.ts': '3', [path]: null } },
      { message: 'After', files: { 'b.ts': '4' } },
    );
    expect(peakOfIndex(repository)).toBeLessThan(250_000);
    using memory = await repository.memory();
    const { recent_commits: commits, decisions: said } = explain(memory, 'a.ts');
    expect(commits.map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/^x{400,} \[9995\d\d characters cut\]$/),
      'Long',
      'Before',
    ]);
    expect(said.map(({ body }) => [body.length, body.slice(0, 10), body.slice(-26)])).toEqual([
      [20_000, 'word word ', ' [99980000 characters cut]'],
    ]);
    expect(explain(memory, 'b.ts').recent_commits.map(({ subject }) => subject)).toEqual(['After']);
    expect(ranking(memory, 9).files.map(({ path }) => path)).toEqual(['a.ts', 'b.ts']);
  });

  it('large files that are not committed are not read, and what the operator ignores is no change', async () => {
    using repository = history(1);
    writeFileSync(join(repository.directory, 'large.bin'), '');
    truncateSync(join(repository.directory, 'large.bin'), 3_000_000_000);
    writeFileSync(join(repository.directory, '.git/ignored'), '.idea/\n');
    repository.git('config', 'core.excludesFile', join(repository.directory, '.git/ignored'));
    repository.write({ '.idea/x': '1' });
    const before = process.resourceUsage().maxRSS;
    await repository.index();
    using memory = await repository.memory();
    expect(changed(memory).files.map(({ path }) => path)).toEqual(['large.bin']);
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(1_000_000);
  });

  it('WM-003, L-69: a column that is missing is named', async () => {
    using repository = history(1);
    await repository.index();
    const database = new DatabaseSync(databaseOf(repository));
    database.exec('ALTER TABLE tasks DROP COLUMN goal');
    database.close();
    await expect(repository.index()).rejects.toThrow('tasks.goal');
  });

  it('links that lead in circles, pipes and files that are too big are there without structure', async () => {
    using repository = history(2);
    mkdirSync(join(repository.directory, 'loop'));
    symlinkSync('../loop', join(repository.directory, 'loop/loop'));
    symlinkSync('self.ts', join(repository.directory, 'self.ts'));
    writeFileSync(join(repository.directory, 'big.ts'), `const x = 1;\n`.repeat(100_000));
    const { source_file_count: count, file_count: files } = await repository.index();
    expect([files, count]).toEqual([5, 4]);
  });

  it('a repository that is removed under it is an error that names it', async () => {
    using repository = history(2);
    await repository.index();
    rmSync(join(repository.directory, '.git'), { recursive: true });
    await expect(repository.index()).rejects.toMatchObject({ code: 'not_found' });
  });

  it('freshness follows HEAD, time and the work tree (WM-028)', async () => {
    using repository = history(3);
    await repository.index();
    const of = async (now?: number) => {
      using memory = await repository.memory(now === undefined ? {} : { now });
      return doctor(memory);
    };
    const then = repository.now;
    expect(await of()).toMatchObject({ index_status: 'indexed', is_stale: false });
    expect(await of(then + 25 * 3_600_000)).toMatchObject({
      index_status: 'stale',
      notes: ['the index is older than a day'],
    });
    repository.write({ 'src/f0.ts': 'dirty' });
    expect(await of()).toMatchObject({
      is_stale: false,
      working_tree_dirty: true,
      working_tree_file_count: 1,
    });
    repository.commit({ files: { 'src/f0.ts': 'more' } });
    expect(await of(then)).toMatchObject({
      index_status: 'stale',
      notes: ['HEAD has moved since the index was made'],
    });
  });
});
