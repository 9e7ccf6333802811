import { describe, expect, it } from 'vitest';
import { TestRepository } from '../../test/history.ts';
import { changed, explain, handoff, type Memory, review, startTask } from '../index.ts';

/** Commits of these files, one after the other. */
function commits(...each: readonly (readonly string[])[]): TestRepository {
  const repository = new TestRepository();
  repository.commit(
    ...each.map((paths, at) => ({ files: Object.fromEntries(paths.map((path) => [path, `// ${at}\n`])) })),
  );
  return repository;
}

async function indexed(repository: TestRepository, days = 0): Promise<Memory> {
  await repository.index();
  return repository.memory({ now: repository.now + days * 86_400_000 });
}

describe('advice', () => {
  it('WM-021: reasons are those that hold, and the levels begin at 10 and at 20', async () => {
    using repository = commits(
      ['once.ts'],
      ['a.ts', 'b.ts', 'c.ts', 'chance.ts'],
      ['a.ts', 'b.ts', 'c.ts'],
      ['a.ts'],
    );
    using now = await indexed(repository);
    expect(explain(now, 'a.ts').risk).toMatchObject({
      level: 'medium',
      score: 19,
      reasons: [
        'changed by 3 commits within 30 days',
        '2 files change with it',
        'last changed within 14 days',
      ],
    });
    using later = await indexed(repository, 100);
    expect(explain(later, 'a.ts').risk).toMatchObject({
      level: 'low',
      score: 8,
      reasons: ['changed by 3 commits', '2 files change with it'],
    });
    expect(explain(later, 'once.ts').risk).toMatchObject({
      level: 'low',
      reasons: ['stable: it seldom changes'],
    });
    using month = await indexed(repository, 20);
    expect(explain(month, 'a.ts').risk).toMatchObject({ level: 'medium', parts: { fresh: 0, recent: 9 } });
    repository.commit({ files: { 'a.ts': '// more' } });
    using more = await indexed(repository);
    expect(explain(more, 'a.ts').risk).toMatchObject({ level: 'high', score: 23 });
  });

  it('WM-022: what neither the index nor the disk knows is unknown in a report, and no end of it', async () => {
    using repository = commits(['a.ts', 'gone.ts']);
    repository.git('rm', '--quiet', 'gone.ts');
    using memory = await repository.memory();
    expect(changed(memory).files).toMatchObject([{ path: 'gone.ts', risk_level: 'unknown' }]);
  });

  it('WM-026: confidence is the sum of what is known', async () => {
    using repository = commits(['a.ts'], ['src/x.ts'], ['src/x.ts']);
    repository.write({
      'b.txt': '',
      'src/x.ts': "import './y.ts';\n",
      'src/y.ts': '',
      'src/x.test.ts': "import './x.ts';\n",
    });
    using memory = await indexed(repository);
    const of = (path: string) => {
      const { level, score } = explain(memory, path).confidence;
      return [level, score];
    };
    expect(of('b.txt')).toEqual(['low', 0]);
    expect(of('a.ts')).toEqual(['medium', 3]);
    expect(of('src/x.ts')).toEqual(['high', 8]);
  });

  it('WM-027: two files it may touch make a boundary of theirs its own, one does not', async () => {
    using repository = commits(['a.ts', 'auth/one.ts'], ['a.ts', 'auth/one.ts']);
    using one = await indexed(repository);
    expect(explain(one, 'a.ts').action_guidance.boundary_warnings).toEqual([]);
    const two = { 'a.ts': '//', 'auth/two.ts': '//' };
    repository.commit({ files: two }, { files: { ...two, 'a.ts': '// 2', 'auth/two.ts': '// 2' } });
    using both = await indexed(repository);
    expect(explain(both, 'a.ts').action_guidance.boundary_warnings).toEqual([
      'auth: 2 of the files it may touch, such as auth/two.ts',
    ]);
  });

  it('WM-029: alone only what is low and touches little; review what is wide; verify what can be', async () => {
    using repository = commits(
      ['once.ts'],
      ['w.ts', 'x.ts', 'y.ts', 'z.ts', 'v.ts'],
      ['w.ts', 'x.ts', 'y.ts', 'z.ts', 'v.ts'],
    );
    using memory = await indexed(repository, 100);
    expect(explain(memory, 'once.ts').action_guidance).toMatchObject({
      safe_to_edit_alone: true,
      must_review: false,
      must_verify: false,
      recommended_next_command: 'pal repo index',
    });
    using now = await repository.memory();
    const wide = explain(now, 'w.ts').action_guidance;
    expect(wide).toMatchObject({ safe_to_edit_alone: false, must_review: true, must_verify: true });
    expect(wide.ask_for_review_if.join()).toContain('more than two of the 4 files');
    expect(wide.inspect_first).toHaveLength(4);
  });

  it('WM-035: boundaries, risk and missing tests come first among what is committed, and stop whoever goes on', async () => {
    using repository = new TestRepository();
    const files = (at: number) => ({
      'a/plain.ts': `// ${at}`,
      'auth/login.ts': `// ${at}`,
      'db/schema.ts': `// ${at}`,
      'tested.ts': `// ${at}`,
      'tested.test.ts': "import './tested.ts';",
    });
    repository.commit({ files: files(0) }, ...[1, 2, 3, 4, 5].map((at) => ({ files: files(at) })));
    using memory = await indexed(repository);
    const { changed_files: ordered, action_guidance: guidance, ...rest } = await review(memory, 'HEAD~3');
    expect(ordered.map(({ path }) => path)).toEqual([
      'auth/login.ts',
      'db/schema.ts',
      'a/plain.ts',
      'tested.ts',
    ]);
    expect(ordered[0]).toMatchObject({ boundary_labels: ['auth'], needs_review: true, needs_tests: true });
    expect(rest.summary).toBe(
      '4 files are changed since HEAD~3, 4 of high risk; 1 test to run; it crosses auth and db',
    );
    // What is so before anything begins stops nobody.
    expect(guidance.stop_signals).toEqual([
      'a test that passed before the change fails',
      'the change grows beyond what was asked for',
      'one more file of high risk has to change',
      'what the code does differs from what is said here',
    ]);
    expect(rest.notes).toContain('no test of auth/login.ts is known');
  });

  it('WM-036: who goes on is told of drift, of what is not committed, and what to run', async () => {
    using repository = commits(['a.ts'], ['a.ts']);
    await repository.index();
    repository.write({ 'other.ts': '' });
    using memory = await repository.memory({ create: true });
    await startTask(memory, 'Mend a', ['a.ts'], false);
    const { next_actions: next, summary } = await handoff(memory, undefined);
    expect(next).toEqual([
      'say why other.ts is changed, or undo it',
      'commit what is in the work tree',
      'pal repo review',
    ]);
    expect(summary).toMatch(/^task: Mend a\. /);
  });

  it('FF-155: drift speaks of a folder in another script by the name that the task gave it', async () => {
    using repository = commits(['文档/设计.md', 'مجلد/ملف.py']);
    await repository.index();
    repository.write({ '文档/设计.md': 'x', 'مجلد/ملف.py': 'x', 'e\u0301/neu.md': '' });
    using memory = await repository.memory({ create: true });
    await startTask(memory, 'Docs', ['文档', 'e\u0301'], false);
    expect(changed(memory).task).toMatchObject({
      in_scope_changed: expect.arrayContaining(['文档/设计.md', 'e\u0301/neu.md']),
      out_of_scope_changed: ['مجلد/ملف.py'],
    });
  });
});
