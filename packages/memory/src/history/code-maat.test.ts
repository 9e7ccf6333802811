import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { TestRepository } from '../../test/history.ts';
import { randomHistory } from '../../test/random-history.ts';
import { neighbors, ranking } from '../index.ts';
import type { Memory } from '../open-memory.ts';

/*
 * The analyses of code-maat (https://github.com/adamtornhill/code-maat), as its documentation defines them, over the log it reads:
 *
 * - revisions: commits that changed an entity; authors: different names among those
 * - coupling: `degree`, shared commits in per cent of the mean of both entities' revisions, cut to a whole number; `average-revs`, that
 *   mean rounded up
 */
interface Entity {
  revisions: number;
  readonly authors: Set<string>;
}

function codeMaat(directory: string) {
  const format = ['--numstat', '--date=short', '--pretty=format:--%h--%ad--%aN', '--no-renames'];
  const log = execFileSync('git', ['log', ...format], { cwd: directory, encoding: 'utf8' });
  const entities = new Map<string, Entity>();
  const shared = new Map<string, number>();
  for (const block of log.split(/\n\n/)) {
    const [head = '', ...lines] = block.split('\n');
    const author = head.split('--')[3] ?? '';
    const names = lines.filter((line) => line !== '').map((line) => line.split('\t')[2] ?? '');
    for (const name of names) {
      const entity = entities.get(name) ?? { revisions: 0, authors: new Set() };
      entity.revisions++;
      entity.authors.add(author);
      entities.set(name, entity);
      for (const other of names)
        if (other !== name) shared.set(`${name} ${other}`, (shared.get(`${name} ${other}`) ?? 0) + 1);
    }
  }
  return { entities, shared };
}

const coupling = (shared: number, a: number, b: number) => ({
  degree: Math.trunc((100 * shared) / ((a + b) / 2)),
  averageRevs: Math.ceil((a + b) / 2),
});

/** The same figures from what memory answers. */
function fromMemory(memory: Memory) {
  const files = new Map(ranking(memory, 10_000).files.map((each) => [each.path, each]));
  const rows = [...files.values()].map((each) => [each.path, each.churn_score, each.author_count] as const);
  const pairs = [...files.values()].flatMap((each) =>
    neighbors(memory, each.path, 1_000).neighbors.map((near) => {
      const figures = coupling(near.cochange_count, each.churn_score, files.get(near.path)?.churn_score ?? 0);
      return [each.path, near.path, figures.degree, figures.averageRevs] as const;
    }),
  );
  return { rows: rows.toSorted(), pairs: pairs.toSorted() };
}

describe('beside code-maat', () => {
  it('its published example has its published figures', async () => {
    using repository = new TestRepository();
    const [connection, presenter] = [
      'Infrastrucure/Network/Connection.cs',
      'Presentation/Status/ClientPresenter.cs',
    ];
    repository.commit(
      { author: ['XYZ', 'xyz@example.org'], files: { [connection]: '1' } },
      { author: ['APT', 'apt@example.org'], files: { [connection]: '2', [presenter]: '1' } },
    );
    await repository.index();
    using memory = await repository.memory();
    expect(fromMemory(memory)).toEqual({
      rows: [
        [connection, 2, 2],
        [presenter, 1, 1],
      ],
      pairs: [
        [connection, presenter, 66, 2],
        [presenter, connection, 66, 2],
      ],
    });
  });

  it.each([3, 17, 29])(
    'its definitions over its log give the same revisions, authors and coupling (seed %d)',
    async (seed) => {
      using repository = new TestRepository();
      repository.commit(...randomHistory(80, 20, seed));
      await repository.index();
      using memory = await repository.memory();
      const { entities, shared } = codeMaat(repository.directory);
      const rows = [...entities].map(
        ([path, { revisions, authors }]) => [path, revisions, authors.size] as const,
      );
      const pairs = [...shared].map(([key, count]) => {
        const [a = '', b = ''] = key.split(' ');
        const { degree, averageRevs } = coupling(
          count,
          entities.get(a)?.revisions ?? 0,
          entities.get(b)?.revisions ?? 0,
        );
        return [a, b, degree, averageRevs] as const;
      });
      expect(rows.length).toBeGreaterThan(10);
      expect(fromMemory(memory)).toEqual({ rows: rows.toSorted(), pairs: pairs.toSorted() });
    },
  );
});
