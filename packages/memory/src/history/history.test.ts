import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { DAY, FIRST, TestRepository } from '../../test/history.ts';
import { randomHistory } from '../../test/random-history.ts';
import { decisions, explain, neighbors, ranking } from '../index.ts';
import type { Memory } from '../open-memory.ts';
import { isBot, isPlumbing } from './commit-kind.ts';

/** Counted again by other means: names of each commit, one process per question. */
function bruteForce(directory: string, now: number) {
  const log = execFileSync('git', ['log', '--format=@%H %ct %ae', '--name-only'], {
    cwd: directory,
    encoding: 'utf8',
  });
  const commits: { at: number; email: string; files: string[] }[] = [];
  for (const text of log.split(/^@(?=[0-9a-f]{40} )/m).slice(1)) {
    const [head = '', ...lines] = text.split('\n');
    const [, at = '', email = ''] = head.split(' ');
    commits.push({ at: Number(at) * 1_000, email, files: lines.filter((line) => line !== '') });
  }
  const churn = new Map<string, number>();
  const hotspots = new Map<string, number>();
  const authors = new Map<string, Set<string>>();
  const pairs = new Map<string, { count: number; weight: number; strength: number }>();
  for (const [since, { at, email, files }] of commits.entries())
    for (const file of files) {
      hotspots.set(file, (hotspots.get(file) ?? 0) + 0.02 + 1 / (1 + since / 100));
      churn.set(file, (churn.get(file) ?? 0) + 1);
      authors.set(file, (authors.get(file) ?? new Set()).add(email));
      for (const other of files) {
        if (other === file) continue;
        const pair = pairs.get(`${file} ${other}`) ?? { count: 0, weight: 0, strength: 0 };
        pair.count++;
        pair.weight += 1 / Math.max(1, (now - at) / 86_400_000 + 1);
        pair.strength += (0.2 + 1 / (1 + since / 300)) / Math.sqrt(files.length - 1);
        pairs.set(`${file} ${other}`, pair);
      }
    }
  return { churn, hotspots, authors, pairs };
}

function assertSame(memory: Memory, directory: string, now: number): void {
  const { churn, hotspots, authors, pairs } = bruteForce(directory, now);
  const ranked = ranking(memory).files;
  const busiest = Math.max(...churn.values());
  for (const { path, hotspot } of ranked) expect(hotspot).toBeCloseTo(hotspots.get(path) ?? -1, 3);
  expect(ranked.map(({ hotspot }) => hotspot)).toEqual(
    ranked.map(({ hotspot }) => hotspot).toSorted((a, b) => b - a),
  );
  expect(new Map(ranked.map((each) => [each.path, each.churn_score]))).toEqual(churn);
  for (const { path, author_count: count, neighbor_count: near } of ranked) {
    expect(count).toBe(authors.get(path)?.size);
    const { neighbors: found } = neighbors(memory, path, 1_000);
    const wanted = [...pairs].filter(([key]) => key.startsWith(`${path} `));
    expect(found.map((each) => [each.path, each.cochange_count]).toSorted()).toEqual(
      wanted.map(([key, { count: shared }]) => [key.split(' ')[1], shared]).toSorted(),
    );
    const often = wanted.filter(([, { count: shared }]) => shared >= 2);
    expect([near, explain(memory, path).risk.neighbor_count]).toEqual([often.length, often.length]);
    for (const each of found) {
      const { weight, strength } = pairs.get(`${path} ${each.path}`) ?? { weight: -1, strength: -1 };
      expect(each.recency_weight).toBeCloseTo(weight, 3);
      // All are of one folder, and none imports another.
      const much = (0.3 * (churn.get(each.path) ?? 0)) / busiest + 0.1;
      expect(each.strength).toBeCloseTo(strength + much, 3);
    }
  }
}

describe('history', () => {
  it('WM-013, WM-020: churn, authors, hotspots and what changes together equal a recount from git log', async () => {
    using repository = new TestRepository();
    repository.commit(...randomHistory(120, 25, 7));
    await repository.index();
    using memory = await repository.memory();
    assertSame(memory, repository.directory, repository.now);
  });

  it('D-01: what was indexed on another branch counts for nothing here', async () => {
    using repository = new TestRepository();
    repository.commit(...randomHistory(60, 25, 7));
    const here = repository.git('rev-parse', 'HEAD').trim();
    repository.commit(...randomHistory(40, 25, 9));
    repository.git('branch', 'side');
    await repository.index();
    repository.git('reset', '--quiet', '--hard', here);
    using memory = await repository.memory();
    assertSame(memory, repository.directory, repository.now);
  });

  it('D-01: how long ago a commit was is counted in those that lead to HEAD, whatever was indexed in between or forgotten', async () => {
    using repository = new TestRepository();
    const indexSide = async (name: string, commits: number, seed: number) => {
      const main = repository.git('rev-parse', 'HEAD').trim();
      repository.commit(...randomHistory(commits, 25, seed));
      repository.git('branch', name);
      await repository.index();
      repository.git('reset', '--quiet', '--hard', main);
    };
    repository.commit(...randomHistory(50, 25, 7));
    await repository.index();
    await indexSide('merged', 30, 3);
    await indexSide('forgotten', 400, 5);
    await indexSide('side', 400, 9);
    repository.git('branch', '-D', 'forgotten');
    repository.commit(...randomHistory(3, 25, 13));
    await repository.index();
    {
      using memory = await repository.memory();
      assertSame(memory, repository.directory, repository.now);
    }
    // Commits that were read before others, and are earlier than these only by their times.
    repository.git('merge', '--quiet', '--no-edit', '-s', 'ours', 'merged');
    expect((await repository.index()).added_commits).toBe(1);
    using memory = await repository.memory();
    const answers = (of: Memory) => [ranking(of).files, neighbors(of, 'src/f0.ts', 1_000).neighbors] as const;
    const before = answers(memory);
    await repository.index({ rebuild: true });
    using anew = await repository.memory();
    expect(before).toEqual(answers(anew));
  });

  it('D-01: an index made commit by commit says the same as one made at once, and reads only what is new', async () => {
    using repository = new TestRepository();
    const commits = randomHistory(60, 12, 11);
    for (let at = 0; at < commits.length; at += 7) {
      repository.commit(...commits.slice(at, at + 7));
      const { added_commits: added, rebuilt } = await repository.index();
      expect([added, rebuilt]).toEqual([Math.min(7, commits.length - at), undefined]);
    }
    expect((await repository.index()).added_commits).toBe(0);
    using memory = await repository.memory();
    assertSame(memory, repository.directory, repository.now);
  });

  it('FF-157: a file keeps its history when it is renamed, and its old name goes on to mean it', async () => {
    using repository = new TestRepository();
    const body = (at: number) => `${'line\n'.repeat(40)}// ${at}\n`;
    repository.commit(
      ...Array.from({ length: 50 }, (_, at) => ({ files: { 'old/name.ts': body(at), 'near.ts': `${at}` } })),
      { renames: { 'old/name.ts': 'new/name.ts' } },
    );
    await repository.index();
    repository.commit(
      ...Array.from({ length: 49 }, (_, at) => ({ files: { 'new/name.ts': body(at + 60) } })),
    );
    await repository.index();
    using memory = await repository.memory();
    expect(explain(memory, 'new/name.ts').risk.churn_score).toBe(100);
    expect(neighbors(memory, 'new/name.ts', 5).neighbors[0]).toMatchObject({
      path: 'near.ts',
      cochange_count: 50,
    });
    const old = explain(memory, 'old/name.ts');
    expect(old.risk.path).toBe('new/name.ts');
    expect(old.evidence.notes.join()).toContain('old/name.ts is called new/name.ts now');
    // What is made under the old name later is another file.
    repository.commit({ files: { 'old/name.ts': 'other' } });
    await repository.index();
    using later = await repository.memory();
    expect(explain(later, 'old/name.ts').risk.churn_score).toBe(1);
    expect(explain(later, 'new/name.ts').risk.churn_score).toBe(100);
  });

  it('D-01: a file that is gone is not recommended', async () => {
    using repository = new TestRepository();
    repository.commit({ files: { a: '1', b: '1' } }, { files: { a: '2', b: '2' } }, { files: { b: null } });
    await repository.index();
    using memory = await repository.memory();
    expect(neighbors(memory, 'a', 5).neighbors).toEqual([]);
    expect(ranking(memory, 9).files.map(({ path }) => path)).toEqual(['a']);
  });

  it('D-01: what changes with few says more than what changes with many, and counts are put in proportion', async () => {
    using repository = new TestRepository();
    const crowd = (at: number) =>
      Object.fromEntries(Array.from({ length: 60 }, (_, each) => [`src/w${each}.ts`, `${at}`]));
    const only = (at: number, ...paths: string[]) => Object.fromEntries(paths.map((path) => [path, `${at}`]));
    repository.commit(
      { files: only(1, 'a/x.ts', 'b/near.ts') },
      { files: { ...crowd(2), ...only(2, 'a/x.ts') } },
      { files: { ...crowd(3), ...only(3, 'a/x.ts') } },
      { files: only(4, 'a/x.ts') },
      { files: only(5, 'c/alone.ts') },
    );
    await repository.index();
    using memory = await repository.memory();
    const [first, second] = neighbors(memory, 'a/x.ts', 2).neighbors;
    // One commit of two files is more than two commits of 61: 3 of its 4 changes were with others.
    expect(first).toMatchObject({ path: 'b/near.ts', cochange_count: 1, confidence: 0.25, lift: 1.25 });
    expect(second).toMatchObject({ cochange_count: 2, confidence: 0.5, lift: 1.25 });
  });

  it('L-05: names that look as if they were put together are names', async () => {
    using repository = new TestRepository();
    repository.commit({ files: { 'a::b': '1', c: '1' } }, { files: { a: '1', 'b::c': '1' } });
    await repository.index();
    using memory = await repository.memory();
    const near = (path: string) => neighbors(memory, path, 9).neighbors.map(({ path: other }) => other);
    expect([near('a::b'), near('a'), near('b::c'), near('c')]).toEqual([['c'], ['b::c'], ['a'], ['a::b']]);
  });

  it('FF-153: a commit over everything makes no pairs and is counted, a bot is no author, a person called like one is', async () => {
    using repository = new TestRepository();
    const all = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`src/f${at}.ts`, 'x']));
    repository.commit(
      { files: all },
      { files: { 'src/f0.ts': 'y', 'src/f1.ts': 'y' }, author: ['Dependabot Fan', 'fan@example.org'] },
      { files: { 'src/f0.ts': 'w', 'src/f1.ts': 'w' } },
      {
        files: { 'src/f0.ts': 'z' },
        author: ['Helper', '49699333+dependabot[bot]@users.noreply.example.org'],
      },
    );
    await repository.index();
    using memory = await repository.memory();
    const { risk, neighbors: near } = explain(memory, 'src/f0.ts');
    expect([risk.churn_score, risk.author_count]).toEqual([4, 2]);
    expect(ranking(memory, 1).files[0]).toMatchObject({
      path: 'src/f0.ts',
      author_count: 2,
      neighbor_count: 1,
    });
    expect(near.map(({ path }) => path)).toEqual(['src/f1.ts']);
    expect(['dependabot@example.org', 'renovate+1@x.org', 'ci-bot@x.org', 'bot@x.org'].every(isBot)).toBe(
      true,
    );
    expect(['abbot@x.org', 'robot@x.org', 'bottom@x.org', 'ada@bot.org'].some(isBot)).toBe(false);
  });

  it('FF-156: lock files, manifests and change logs are listed apart from sources', async () => {
    using repository = new TestRepository();
    repository.commit(
      ...Array.from({ length: 5 }, (_, at) => ({
        files: {
          'a.ts': `${at}`,
          'package-lock.json': `${at}`,
          'CHANGELOG.md': `${at}`,
          'b.ts': at < 2 ? `${at}` : '1',
        },
      })),
    );
    await repository.index();
    using memory = await repository.memory();
    const { neighbors: source, plumbing } = neighbors(memory, 'a.ts', 10);
    expect(source.map(({ path }) => path)).toEqual(['b.ts']);
    expect(plumbing.map(({ path }) => path).toSorted()).toEqual(['CHANGELOG.md', 'package-lock.json']);
    expect(['src/version.ts', 'go.sum', 'x/Cargo.lock', 'docs/HISTORY'].every(isPlumbing)).toBe(true);
    expect(['src/versions.ts', 'src/history.ts', 'changes/a.ts'].some(isPlumbing)).toBe(false);
  });

  it('FF-155: folders in other scripts are found by their names', async () => {
    using repository = new TestRepository();
    const names = ['文档/设计.md', 'مجلد/ملف.py', 'e\u0301/x.go', '\u202Eabc/y.rs'];
    const files = (at: number) => Object.fromEntries(names.map((name) => [name, `${at}`]));
    repository.commit({ files: files(1) }, { files: files(2) });
    await repository.index();
    using memory = await repository.memory();
    for (const name of names) {
      expect(explain(memory, name).risk.churn_score).toBe(2);
      expect(
        neighbors(memory, name, 9)
          .neighbors.map(({ path }) => path)
          .toSorted(),
      ).toEqual(names.filter((other) => other !== name).toSorted());
    }
  });

  it('commits that were rewritten are forgotten, and those of another branch say nothing here', async () => {
    using repository = new TestRepository();
    repository.commit({ files: { a: '1', b: '1' } });
    repository.git('checkout', '--quiet', '-b', 'side');
    repository.write({ a: '2', c: '2' });
    repository.git('add', '--all', '--', 'a', 'c');
    repository.git('commit', '--quiet', '-m', 'On the side');
    await repository.index();
    {
      using side = await repository.memory();
      expect(explain(side, 'a').risk.churn_score).toBe(2);
    }
    repository.git('checkout', '--quiet', 'main');
    await repository.index();
    {
      using main = await repository.memory();
      expect(explain(main, 'a').risk.churn_score).toBe(1);
      expect(neighbors(main, 'a', 9).neighbors.map(({ path }) => path)).toEqual(['b']);
    }
    // The same change again under another name, and the old one is no branch's.
    repository.git('checkout', '--quiet', 'side');
    repository.git('commit', '--quiet', '--amend', '-m', 'Said better');
    const { added_commits: added, commit_count: count, rebuilt } = await repository.index();
    expect([added, count, rebuilt]).toEqual([1, 2, undefined]);
    using memory = await repository.memory();
    expect(explain(memory, 'a').risk.churn_score).toBe(2);
    expect(explain(memory, 'a').recent_commits.map(({ subject }) => subject)).toEqual([
      'Said better',
      'Change',
    ]);
  });

  it('a merge adds what both sides did, once', async () => {
    using repository = new TestRepository();
    repository.commit({ files: { a: '1', b: '1' } });
    repository.git('checkout', '--quiet', '-b', 'side');
    repository.write({ a: 'side' });
    repository.git('commit', '--quiet', '-am', 'Side');
    repository.git('checkout', '--quiet', 'main');
    repository.write({ b: 'main' });
    repository.git('commit', '--quiet', '-am', 'Main');
    await repository.index();
    repository.git('merge', '--quiet', '--no-edit', 'side');
    await repository.index();
    using memory = await repository.memory();
    expect([explain(memory, 'a').risk.churn_score, explain(memory, 'b').risk.churn_score]).toEqual([2, 2]);
  });

  it('a partial clone is read by what it has, says what that means, and is read anew when it has everything', async () => {
    using repository = new TestRepository();
    const body = (at: number) => `${'line\n'.repeat(40)}// ${at}\n`;
    repository.commit(
      { files: { 'old.ts': body(1), 'same.ts': 'same', 'near.ts': '1' } },
      { files: { 'old.ts': null, 'new.ts': body(2), 'near.ts': '2' } },
      { renames: { 'same.ts': 'moved.ts' } },
    );
    repository.git('config', 'uploadpack.allowFilter', 'true');
    using parent = new TestRepository();
    const url = `file://${repository.directory}`;
    repository.git(
      'clone',
      '--quiet',

      '--filter=blob:none',
      url,
      `${parent.directory}/clone`,
    );
    using clone = new TestRepository(`${parent.directory}/clone`);
    const now = (FIRST + 10 * DAY) * 1_000;
    const missing = () =>
      clone.git('rev-list', '--objects', '--all', '--missing=print').match(/^\?/gm)?.length ?? 0;
    const before = missing();
    expect(before).toBe(2);
    expect((await clone.index()).notes.join()).toContain('partial clone');
    // Nothing was fetched for it.
    expect(missing()).toBe(before);
    {
      using memory = await clone.memory({ now });
      const files = new Map(ranking(memory, 9).files.map((each) => [each.path, each.churn_score]));
      expect(files).toEqual(
        new Map([
          ['new.ts', 1],
          ['moved.ts', 2],
          ['near.ts', 2],
        ]),
      );
      expect(explain(memory, 'near.ts').evidence.notes.join()).toContain('the clone is partial');
    }
    clone.git('config', '--unset', 'remote.origin.promisor');
    clone.git('config', '--unset', 'remote.origin.partialclonefilter');
    clone.git('fetch', '--quiet', '--refetch');
    expect((await clone.index()).rebuilt).toBe('the clone has other contents than before');
    using memory = await clone.memory({ now });
    expect(explain(memory, 'new.ts').risk.churn_score).toBe(2);
  });

  it('a shallow clone does not take its first commit for a change of everything, and is read anew when it grows', async () => {
    using repository = new TestRepository();
    repository.commit({ files: { a: '1', b: '1' } }, { files: { a: '2' } }, { files: { a: '3' } });
    using parent = new TestRepository();
    repository.git(
      'clone',
      '--quiet',
      '--depth',
      '2',
      `file://${repository.directory}`,
      `${parent.directory}/clone`,
    );
    using clone = new TestRepository(`${parent.directory}/clone`);
    const now = (FIRST + 10 * DAY) * 1_000;
    expect((await clone.index()).notes.join()).toContain('shallow');
    {
      using memory = await clone.memory({ now });
      expect(explain(memory, 'a').risk.churn_score).toBe(1);
    }
    clone.git('-c', 'protocol.file.allow=always', 'fetch', '--quiet', '--unshallow');
    expect((await clone.index()).rebuilt).toBe('the depth of the clone has changed');
    using memory = await clone.memory({ now });
    expect(explain(memory, 'a').risk.churn_score).toBe(3);
  });

  it('L-17: what looks like a credential in a message is in no answer and not in the index', async () => {
    using repository = new TestRepository();
    const secret = 'a1B2c3D4'.repeat(5);
    repository.commit(
      { message: `Fetch https://user:${secret}@example.org\n\ntoken=${secret}`, files: { 'a.ts': '1' } },
      {
        message: `Long\n\n${`token=${secret}\n`.repeat(400)}${' word'.repeat(3_000)} ghp_${secret}`,
        files: { 'a.ts': '2' },
      },
    );
    await repository.index();
    using memory = await repository.memory();
    const answer = JSON.stringify([explain(memory, 'a.ts'), decisions(memory, 'fetch', 9)]);
    expect(answer).toContain('Fetch https://user:<redacted:url-password>@example.org');
    expect(answer).toContain('token=<redacted:assigned>');
    const kept = JSON.stringify(memory.database.all('SELECT * FROM commits'));
    for (const text of [answer, kept]) expect(text).not.toContain('a1B2c3D4');
  });
});
