import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ChangedReport,
  EditPlan,
  Explanation,
  MemoryHealth,
  NeighborReport,
  RepositoryHandoff,
  RepositoryMap,
  RepositoryReview,
  RiskRanking,
  SafetyReport,
} from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import { TestRepository } from '../../test/history.ts';
import {
  changed,
  clearTask,
  decisions,
  doctor,
  explain,
  handoff,
  neighbors,
  plan,
  presentTask,
  ranking,
  repositoryMap,
  review,
  safe,
  scopeOf,
  startTask,
} from '../index.ts';

const PACKAGE = '{"scripts":{"test":"node --test","lint":"true"}}';

function shop(): TestRepository {
  const repository = new TestRepository();
  repository.commit(
    {
      message: 'Begin',
      files: {
        'package.json': PACKAGE,
        'src/store.ts': 'export class Store {}\n',
        'src/store.test.ts': "import { Store } from './store.ts';\n",
        'src/shelf.ts': "import { Store } from './store.ts';\nexport class Shelf extends Store {}\n",
        'src/feedback.ts': 'export const text = 1;\n',
        'src/auth/login.ts': 'export function login() {}\n',
      },
    },
    {
      message: 'Keep shelves in order\n\nWhy: customers look for them by name. 100% of them_do.',
      files: {
        'src/store.ts': 'export class Store { a }\n',
        'src/shelf.ts': "import { Store } from './store.ts'; // 2\n",
      },
    },
    {
      message: 'Fix order',
      files: {
        'src/store.ts': 'export class Store { b }\n',
        'src/shelf.ts': "import { Store } from './store.ts'; // 3\n",
      },
    },
  );
  return repository;
}

describe('answers', () => {
  it('WM-016, WM-030, WM-031, WM-032, WM-033, WM-036: have the form that is declared, indexed or not', async () => {
    using repository = shop();
    for (const isIndexed of [false, true]) {
      if (isIndexed) await repository.index();
      repository.write({ 'src/new.ts': "import './store.ts';\n" });
      using memory = await repository.memory();
      const path = 'src/store.ts';
      expect(() => {
        Explanation.parse(explain(memory, path));
        SafetyReport.parse(safe(memory, path));
        EditPlan.parse(plan(memory, path, 'mend it'));
        NeighborReport.parse(neighbors(memory, path, 5));
        RiskRanking.parse(ranking(memory, 5));
        ChangedReport.parse(changed(memory));
        MemoryHealth.parse(doctor(memory));
      }).not.toThrow();
      RepositoryMap.parse(await repositoryMap(memory, 100, []));
      RepositoryReview.parse(await review(memory, undefined));
      RepositoryHandoff.parse(await handoff(memory, undefined));
    }
  });

  it('WM-021, WM-026, WM-029: a risk adds up from its parts, and the advice follows from it', async () => {
    using repository = shop();
    await repository.index();
    using memory = await repository.memory();
    const {
      risk,
      confidence,
      action_guidance: guidance,
      blast_radius: blast,
      suggested_tests: tests,
    } = explain(memory, 'src/store.ts');
    expect(risk.parts).toEqual({ churn: 3, recent: 9, neighbors: 2, authors: 1, fresh: 2 });
    expect([risk.score, risk.level, risk.fix_count]).toEqual([17, 'medium', 1]);
    expect(confidence).toMatchObject({ level: 'high', score: 8 });
    expect(tests).toEqual(['src/store.test.ts']);
    expect(blast).toEqual(['src/shelf.ts', 'src/store.test.ts']);
    expect(guidance).toMatchObject({
      safe_to_edit_alone: false,
      must_review: false,
      must_verify: true,
      recommended_next_command: 'pal repo check fast',
    });
    expect(safe(memory, 'src/store.ts').verdict).toBe('review_neighbors_first');
    expect(plan(memory, 'src/store.ts', '').steps.join('\n')).toContain(
      'npm run -s test -- src/store.test.ts',
    );
  });

  it('L-26: what is recent depends on the time that is given, not on the clock of the machine', async () => {
    using repository = shop();
    await repository.index();
    using memory = await repository.memory({ now: repository.now + 400 * 86_400_000 });
    expect(explain(memory, 'src/store.ts').risk.parts).toMatchObject({ recent: 0, fresh: 0 });
  });

  it('WM-022: a file without history is judged by what it is connected with', async () => {
    using repository = shop();
    await repository.index();
    repository.write({
      'src/fresh.ts': "import './store.ts';\n",
      'src/fresh.test.ts': "import './fresh.ts';\n",
    });
    await repository.index();
    using memory = await repository.memory();
    const { risk } = explain(memory, 'src/fresh.ts');
    expect([risk.level, risk.score, risk.last_touched_at]).toEqual(['medium', 6, null]);
    expect(explain(memory, 'src/feedback.ts').risk.level).not.toBe('unknown');
  });

  it('WM-027, D-05: boundaries are told by whole words, never by parts of one or by an ending', async () => {
    using repository = shop();
    await repository.index();
    using memory = await repository.memory();
    expect(explain(memory, 'src/feedback.ts').action_guidance.boundary_warnings).toEqual([]);
    expect(explain(memory, 'package.json').action_guidance.boundary_warnings).toEqual([]);
    expect(explain(memory, 'src/auth/login.ts').action_guidance.boundary_warnings).toEqual([
      'auth: "auth" in its path',
    ]);
  });

  it('WM-037: decisions are found by any text of a message, and signs in it mean themselves', async () => {
    using repository = shop();
    await repository.index();
    using memory = await repository.memory();
    const titles = (query: string) => decisions(memory, query, 10).data.map(({ title }) => title);
    expect(titles('order')).toEqual(['Fix order', 'Keep shelves in order']);
    repository.commit({ message: 'Änderung der Ordnung\n\nWeil es so ist.', files: { x: '1' } });
    await repository.index();
    using later = await repository.memory();
    expect(decisions(later, 'änderung', 9).data.map(({ title }) => title)).toEqual(['Änderung der Ordnung']);
    expect(titles('BY NAME')).toEqual(['Keep shelves in order']);
    expect([titles('100%'), titles('them_do'), titles('them%do'), titles('_ix')]).toEqual([
      ['Keep shelves in order'],
      ['Keep shelves in order'],
      [],
      [],
    ]);
    expect(explain(memory, 'src/store.ts').decisions.map(({ title }) => title)).toEqual([
      'Keep shelves in order',
    ]);
  });

  it('WM-034, WM-035: a review holds commits and the work tree, what is not committed first', async () => {
    using repository = shop();
    await repository.index();
    repository.write({ 'src/shelf.ts': '// dirty', 'notes.md': 'new' });
    using memory = await repository.memory();
    const { changed_files: files, base_ref: base, required_tests: tests } = await review(memory, undefined);
    expect(base).toBe('HEAD~1');
    expect(files.map(({ path, change_source: source }) => [path, source])).toEqual([
      ['src/shelf.ts', 'committed+working_tree'],
      ['notes.md', 'untracked'],
      ['src/store.ts', 'committed'],
    ]);
    expect(tests).toContain('src/store.test.ts');
    await expect(review(memory, 'no-such-branch')).rejects.toMatchObject({ code: 'not_found' });
    await expect(review(memory, '--output=/tmp/x')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('what has happened on the base since is no change of this side', async () => {
    using repository = shop();
    repository.git('checkout', '--quiet', '-b', 'side');
    repository.write({ 'src/shelf.ts': '// side' });
    repository.git('commit', '--quiet', '-am', 'Side');
    repository.git('checkout', '--quiet', 'main');
    repository.write({ 'src/feedback.ts': '// main' });
    repository.git('commit', '--quiet', '-am', 'Main');
    repository.git('checkout', '--quiet', 'side');
    await repository.index();
    using memory = await repository.memory();
    expect((await review(memory, 'main')).changed_files.map(({ path }) => path)).toEqual(['src/shelf.ts']);
  });

  it('L-06: a test that is gone is neither proposed nor run, and tests of any language are found', async () => {
    using repository = shop();
    repository.commit({
      files: { 'c/f.h': '', 'c/f_test.c': '#include "f.h"\n', 'c/other_test.c': '#include "f.h"\n' },
    });
    await repository.index();
    repository.git('rm', '--quiet', 'src/store.test.ts');
    using memory = await repository.memory();
    expect(explain(memory, 'src/store.ts').suggested_tests).toEqual([]);
    expect((await review(memory, 'HEAD')).required_tests).toEqual([]);
    expect(explain(memory, 'c/f.h').suggested_tests).toEqual(['c/f_test.c', 'c/other_test.c']);
  });

  it('D-04: a review and its checks need no second commit', async () => {
    using repository = new TestRepository();
    repository.commit({ files: { 'a.ts': '1', 'package.json': PACKAGE } });
    await repository.index();
    using memory = await repository.memory();
    const { base_ref: base, changed_files: files } = await review(memory, undefined);
    expect([base, files.map(({ path }) => path).toSorted()]).toEqual(['nothing', ['a.ts', 'package.json']]);
  });

  it('WM-042, D-03: a task without scopes has no drift; with scopes, what lies outside is named', async () => {
    using repository = shop();
    await repository.index();
    repository.write({ 'src/shelf.ts': '// dirty', 'other/x.ts': '' });
    using memory = await repository.memory({ create: true });
    const scopeNow = () => {
      const task = presentTask(memory);
      return task === undefined
        ? undefined
        : scopeOf(
            task,
            memory.changes.map(({ path }) => path),
          );
    };
    await startTask(memory, 'Anything', [], false);
    expect(scopeNow()?.has_scope_drift).toBe(false);
    await startTask(memory, 'All of it', ['.'], false);
    expect(scopeNow()?.has_scope_drift).toBe(false);
    await startTask(memory, 'Shelves', ['src'], false);
    expect(scopeNow()).toMatchObject({
      out_of_scope_changed: ['other/x.ts'],
      in_scope_changed: ['src/shelf.ts'],
    });
    const reviewed = await review(memory, undefined);
    expect(reviewed.changed_files[0]?.path).toBe('other/x.ts');
    expect(reviewed.summary).toContain('1 file outside of what the task said');
    await expect(startTask(memory, 'Out', ['../else'], false)).rejects.toMatchObject({ code: 'unsafe_path' });
    expect(await clearTask(memory)).toBe(true);
    expect([scopeNow(), await clearTask(memory)]).toEqual([undefined, false]);
  });

  it('L-08: a task belongs to its branch and ends after four hours', async () => {
    using repository = shop();
    await repository.index();
    {
      using memory = await repository.memory({ create: true });
      await startTask(memory, 'On main', [], false);
    }
    {
      using late = await repository.memory({ now: repository.now + 4 * 3_600_000 });
      expect(presentTask(late)).toBeUndefined();
    }
    repository.git('checkout', '--quiet', '-b', 'side');
    using side = await repository.memory();
    expect(presentTask(side)).toBeUndefined();
  });

  it('a path means the same from every folder, and nothing outside is answered about', async () => {
    using repository = shop();
    await repository.index();
    const inside = new TestRepository(join(repository.directory, 'src'));
    using memory = await inside.memory({ now: repository.now });
    expect(explain(memory, 'store.ts').path).toBe('src/store.ts');
    expect(explain(memory, 'src/store.ts').path).toBe('src/store.ts');
    expect(explain(memory, join(repository.directory, 'src/store.ts')).path).toBe('src/store.ts');
    for (const path of ['../../etc/passwd', '/etc/passwd', '..', '../..'])
      expect(() => explain(memory, path)).toThrow(expect.objectContaining({ code: 'unsafe_path' }));
  });

  it('a map holds what many files import first, and keeps to its budget', async () => {
    using repository = shop();
    await repository.index();
    using memory = await repository.memory();
    const { text, tokens, shown } = await repositoryMap(memory, 1_000, []);
    expect(text.split('\n')[0]).toBe('src/store.ts');
    expect([shown, text.includes('class Store :1'), text.includes('.test.ts')]).toEqual([4, true, false]);
    expect(tokens).toBeLessThanOrEqual(1_000);
    expect((await repositoryMap(memory, 50, [])).tokens).toBeLessThanOrEqual(50);
    expect((await repositoryMap(memory, 1_000, ['src/auth/login.ts'])).text.split('\n')[0]).toBe(
      'src/auth/login.ts',
    );
  });

  it('files of other repositories within are not taken for its own', async () => {
    using repository = shop();
    mkdirSync(join(repository.directory, 'node_modules/x'), { recursive: true });
    writeFileSync(join(repository.directory, 'node_modules/x/index.ts'), '');
    await repository.index();
    using memory = await repository.memory();
    expect(changed(memory).files).toEqual([]);
  });
});
