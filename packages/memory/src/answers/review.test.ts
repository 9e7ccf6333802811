import { describe, expect, it } from 'vitest';
import { TestRepository } from '../../test/history.ts';
import { changed, check, decisions, explain, handoff, plannedChecks, review, typed } from '../index.ts';

const options = { timeoutMs: 20_000, signal: new AbortController().signal };
const lines = (at: number) => `// ${at}\n`;

describe('a review', () => {
  it('WM-035: of files that are as urgent the most risky comes first, then by path', async () => {
    using repository = new TestRepository();
    const both = (at: number) => ({ files: { 'a.txt': lines(at), 'b.txt': lines(at), 'z.txt': lines(at) } });
    const alone = (path: string, times: number) =>
      Array.from({ length: times }, (_, at) => ({ files: { [path]: lines(9 + at) } }));
    repository.commit(both(1), ...alone('b.txt', 30), ...alone('a.txt', 30), ...alone('z.txt', 60), both(2));
    await repository.index();
    using memory = await repository.memory();
    const { changed_files: files } = await review(memory, undefined);
    expect(files.map(({ path, risk_level: level }) => [path, level])).toEqual([
      ['z.txt', 'high'],
      ['a.txt', 'high'],
      ['b.txt', 'high'],
    ]);
  });

  it('says that it names ten of more tests', async () => {
    using repository = new TestRepository();
    const tests = Array.from({ length: 12 }, (_, at) => [`t/a${at}.test.ts`, "import '../a.ts';"] as const);
    repository.commit({ files: { 'a.ts': '', ...Object.fromEntries(tests) } });
    await repository.index();
    repository.write({ 'a.ts': '//', 't/a11.test.ts': '//' });
    using memory = await repository.memory();
    const { required_tests: required, notes, evidence } = await review(memory, 'HEAD');
    expect([required.length, notes[0]]).toEqual([10, 'required_tests are 10 of 11: each file names its own']);
    expect(evidence.notes).toContain('only the first 10 tests of a.ts are named: it has more');
  });
});

describe('tests of a file', () => {
  it('of a test that is changed it is run itself, first; what tests only use is no test', async () => {
    using repository = new TestRepository();
    const at = (each: number) => ({
      'shop/app.py': lines(each),
      'tests/test_app.py': 'import shop.app\n',
      'tests/test_reqctx.py': `# ${each}\n`,
      'tests/conftest.py': `# ${each}\n`,
      'tests/__init__.py': `# ${each}\n`,
    });
    repository.commit({ files: at(0) }, { files: at(1) }, { files: at(2) });
    await repository.index();
    using memory = await repository.memory();
    expect(explain(memory, 'tests/test_reqctx.py').suggested_tests).toEqual(['tests/test_reqctx.py']);
    expect(explain(memory, 'tests/conftest.py').suggested_tests).toEqual([
      'tests/test_app.py',
      'tests/test_reqctx.py',
    ]);
    repository.write({ 'tests/test_reqctx.py': '# mine\n' });
    using dirty = await repository.memory();
    expect((await plannedChecks(dirty, 'fast', 'HEAD')).commands.map(typed)).toEqual([
      'pytest tests/test_reqctx.py',
    ]);
  });

  it('says that only some of those beside it are named', async () => {
    using repository = new TestRepository();
    const beside = Array.from({ length: 9 }, (_, at) => [`x/t${at}.test.ts`, ''] as const);
    repository.commit({ files: { 'x/lone.ts': '', ...Object.fromEntries(beside) } });
    await repository.index();
    using memory = await repository.memory();
    const { suggested_tests: tests, evidence } = explain(memory, 'x/lone.ts');
    expect([tests.length, evidence.notes[0]]).toEqual([
      8,
      'only the first 8 tests of x/lone.ts are named: it has more',
    ]);
  });

  it('in a folder of tests, in a language without grammar, those that change with it are suggested', async () => {
    using repository = new TestRepository();
    const at = (each: number) => ({
      'src/t_zset.c': lines(each),
      'tests/unit/type/zset.tcl': `# ${each}`,
      'tests/helpers/load.tcl': `# ${each}`,
    });
    repository.commit({ files: { ...at(0), 'tests/place.ts': '' } }, { files: at(1) });
    await repository.index();
    using memory = await repository.memory();
    expect(explain(memory, 'src/t_zset.c').suggested_tests).toEqual(['tests/unit/type/zset.tcl']);
  });

  it('what is named as a test says more than what lies in a folder of tests', async () => {
    using repository = new TestRepository();
    repository.commit({
      files: {
        'src/a.ts': '',
        'test/tools.ts': "import '../src/a.ts';",
        'test/other.test.ts': "import './tools.ts'; import '../src/a.ts';",
      },
    });
    await repository.index();
    using memory = await repository.memory();
    for (const path of ['src/a.ts', 'test/tools.ts'])
      expect(explain(memory, path).suggested_tests).toEqual(['test/other.test.ts']);
  });
});

describe('what was checked before', () => {
  it('L-09: speaks only of the commit and the change it was run on', async () => {
    using repository = new TestRepository();
    repository.commit({
      files: {
        'package.json': JSON.stringify({ scripts: { test: '! grep -q bad a.ts', lint: 'true && :' } }),
        'a.ts': 'good\n',
        'a.test.ts': "import './a.ts';",
      },
    });
    await repository.index();
    const asked = async () => {
      using memory = await repository.memory();
      const { next_actions: next, review: reviewed } = await handoff(memory, undefined);
      return {
        next: next.filter((each) => each.includes('npm')),
        said: reviewed.summary.split('; ').filter((each) => each.includes('npm')),
      };
    };
    const failed = 'npm run -s test -- a.test.ts';
    repository.write({ 'a.ts': 'bad\n' });
    {
      using memory = await repository.memory({ create: true });
      expect((await check(memory, 'full', options)).outcome).toBe('failed');
    }
    // That the linter passed after it says nothing of the test.
    const now = {
      next: [`mend what failed: ${failed}`],
      said: [`the newest verification failed: ${failed}`],
    };
    expect(await asked()).toEqual(now);
    const before = { next: [`run it again, it failed before, on other content: ${failed}`], said: [] };
    repository.write({ 'a.ts': 'bad and more\n' });
    expect(await asked()).toEqual(before);
    repository.git('checkout', '--quiet', '--', '.');
    expect(await asked()).toEqual(before);
    repository.write({ 'a.ts': 'bad\n' });
    expect(await asked()).toEqual(now);
    repository.git('commit', '--quiet', '-am', 'Bad');
    expect(await asked()).toEqual(before);
    repository.write({ 'a.ts': 'good\n' });
    {
      using memory = await repository.memory({ create: true });
      expect((await check(memory, 'fast', options)).outcome).toBe('passed');
    }
    expect(await asked()).toEqual({ next: [], said: [] });
  });

  it('a tier without commands names the smallest one that has some', async () => {
    using repository = new TestRepository();
    repository.commit({ files: { Makefile: 'test:\n\ttrue\n', 'a.tcl': '' } });
    await repository.index();
    using memory = await repository.memory();
    await expect(plannedChecks(memory, 'fast')).rejects.toMatchObject({
      message: 'no command of the project is known for "fast"; "safe" has 1',
      next: 'pal repo check safe',
    });
    repository.write({ Makefile: 'build:\n\ttrue\n' });
    using built = await repository.memory();
    const next = [changed(built), (await review(built, 'HEAD')).action_guidance];
    expect(next.map((each) => each.recommended_next_command)).toEqual(Array(2).fill('pal repo check full'));
  });
});

describe('decisions', () => {
  it('of a file are messages that say more than a title: trailers, and what they refer to, do not', async () => {
    using repository = new TestRepository();
    repository.commit(
      {
        message: 'Begin\n\nCo-authored-by: Bo <bo@example.org>\nSigned-off-by: Cy <c@d.e>',
        files: { a: '1' },
      },
      { message: 'Mend\r\n\r\nFixes #12\r\n\r\nChange-Id: I7', files: { a: '2' } },
      { message: 'Turn\r\n\r\nWhy: it was late.\r\nNow it is not.\r\n\r\nReviewed-by: D', files: { a: '3' } },
    );
    await repository.index();
    using memory = await repository.memory();
    expect(explain(memory, 'a').decisions).toMatchObject([
      { title: 'Turn', body: 'Why: it was late.\nNow it is not.\n\nReviewed-by: D' },
    ]);
  });

  it('a merge and its commit are told once, as the commit; a text is needed', async () => {
    using repository = new TestRepository();
    repository.commit({ message: 'Begin', files: { a: '1' } });
    const merged = (branch: string, title: string, message: string) => {
      repository.git('checkout', '--quiet', '-b', branch);
      repository.write({ [branch]: '' });
      repository.git('add', '.');
      repository.git('commit', '--quiet', '-m', title);
      repository.git('checkout', '--quiet', 'main');
      repository.git('merge', '--quiet', '--no-ff', branch, '-m', message);
    };
    merged('one', 'Sort shelves by name', 'Merge pull request #1 from ada/one\n\nSort shelves by name');
    merged('two', 'Sort boxes by size (#2)', 'Sort boxes by size');
    merged('three', 'Drop it', 'Merge pull request #3 from ada/three\n\nSort nothing');
    await repository.index();
    using memory = await repository.memory();
    const titles = (limit: number) => decisions(memory, 'sort', limit).data.map(({ title }) => title);
    expect(titles(9).toSorted()).toEqual([
      'Merge pull request #3 from ada/three',
      'Sort boxes by size (#2)',
      'Sort shelves by name',
    ]);
    expect(titles(1)).toHaveLength(1);
    for (const query of ['', ' \n'])
      expect(() => decisions(memory, query, 9)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
    expect(changed(memory).files).toEqual([]);
  });
});
