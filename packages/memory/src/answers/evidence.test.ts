import { describe, expect, it } from 'vitest';
import { ConsoleHome } from '../../test/console-home.ts';
import { TestRepository } from '../../test/history.ts';
import { claimedRepository, closeReview, createReview } from '../index.ts';
import {
  changed,
  decisions,
  explain,
  handoff,
  type Memory,
  neighbors,
  plan,
  ranking,
  repositoryMap,
  review,
  safe,
} from '../index.ts';

/** Every report of `pal repo` by its name. */
const reports: Readonly<Record<string, (memory: Memory) => unknown>> = {
  explain: (memory) => explain(memory, 'a.ts'),
  safe: (memory) => safe(memory, 'a.ts'),
  plan: (memory) => plan(memory, 'a.ts', ''),
  neighbors: (memory) => neighbors(memory, 'a.ts', 9),
  risk: (memory) => ranking(memory, 9),
  changed,
  review: (memory) => review(memory, undefined),
  handoff: (memory) => handoff(memory, undefined),
  decisions: (memory) => decisions(memory, 'Change', 9),
  map: (memory) => repositoryMap(memory, 500, []),
};

function two(): TestRepository {
  const repository = new TestRepository();
  repository.commit(
    { files: { 'a.ts': "import './b.ts';\n", 'b.ts': '', 'a.test.ts': "import './a.ts';\n" } },
    { files: { 'a.ts': "import './b.ts';\n// 2\n" } },
  );
  return repository;
}

const budget = () => ({ deadline: Date.now() + 60_000, signal: new AbortController().signal });

describe('what an answer rests on', () => {
  it('L-11: every report says how fresh it is and on what it rests, without an index, with one, and with an old one', async () => {
    using repository = two();
    const said = async (status: string, note: RegExp) => {
      using memory = await repository.memory();
      for (const [name, report] of Object.entries(reports)) {
        const answer = await report(memory);
        expect([name, answer]).toMatchObject([
          name,
          {
            freshness: { index_status: status, is_stale: status !== 'indexed' },
            evidence: { sources: expect.anything(), notes: expect.anything() },
          },
        ]);
        const { evidence, freshness } = answer as ReturnType<typeof ranking>;
        expect([...evidence.notes, ...freshness.reasons, ''].join('\n'), name).toMatch(note);
      }
    };
    await said('missing', /there is no index: nothing is known of the history/);
    await repository.index();
    await said('indexed', /^/);
    repository.commit({ files: { 'b.ts': '1' } });
    await said('stale', /HEAD has moved since the index was made/);
  });

  it('WM-028: sources are those that had something to say', async () => {
    using repository = two();
    const sources = async (path: string) => {
      using memory = await repository.memory();
      return explain(memory, path).evidence.sources;
    };
    repository.write({ 'lone.txt': '' });
    expect(await sources('lone.txt')).toEqual(['working-tree']);
    await repository.index();
    expect(await sources('a.ts')).toEqual([
      'git-history',
      'repo-structure',
      'test-inference',
      'working-tree',
    ]);
    repository.write({ 'package.json': '{"scripts":{"test":"true"}}' });
    expect(await sources('a.ts')).toContain('repo-config');
  });

  it('D-06: a review that was closed about this repository is found with the decisions of its commits', async () => {
    using repository = two();
    using home = new ConsoleHome();
    const { repository: here } = await claimedRepository(repository.directory, budget());
    const decide = async (subject: string, about: string | null, note: string | undefined) => {
      const { id } = await createReview(home.at(repository.now), {
        ...home.change(),
        party: home.party('codex:a'),
        subject,
        details: undefined,
        repository: about,
      });
      if (note !== undefined)
        await closeReview(home.at(repository.now), {
          ...home.change(),
          party: home.person('human:ada'),
          id,
          decision: 'decline',
          note,
        });
    };
    await decide('the Changes of b', here, 'Keep it as it is');
    await decide('change still open', here, undefined);
    await decide('change elsewhere', '/another/.git', 'no');
    await decide('change of nothing', null, 'no');
    const linked = repository.directory.concat('-linked');
    repository.git('worktree', 'add', '--quiet', linked);
    using tree = new TestRepository(linked);
    await repository.index();
    for (const place of [repository, tree]) {
      using memory = await place.memory({ env: home.env, now: repository.now });
      const found = (query: string) =>
        decisions(memory, query, 9).data.map(({ source_type: type, title }) => `${type} ${title}`);
      expect(found('change')).toEqual(['review decline: the Changes of b', 'git Change', 'git Change']);
      expect(found('AS IT IS')).toEqual(['review decline: the Changes of b']);
      expect(found('null')).toEqual([]);
      expect(decisions(memory, 'change', 1).data).toHaveLength(1);
    }
    using without = await repository.memory();
    expect(decisions(without, 'decline', 9).data).toEqual([]);
  });
});
