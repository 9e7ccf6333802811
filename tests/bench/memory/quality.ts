import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { isFix, neighbors, openMemory, ranking } from '@palisade/memory';
import { budgetOf } from '@palisade/workspace';

/* How well the past predicts: what is learned up to a commit, asked about those after it. */

export interface HeldOut {
  readonly files: readonly string[];
  readonly isFix: boolean;
}

/** Commits after `cut` that changed at most 30 files, oldest first. */
export function heldOutCommits(directory: string, cut: string): readonly HeldOut[] {
  const log = execFileSync(
    'git',
    ['log', '--no-merges', '--reverse', '--format=%x01%s', '--name-only', '-z', `${cut}..HEAD`],
    {
      cwd: directory,
      encoding: 'utf8',
      maxBuffer: 1 << 30,
    },
  );
  return log
    .split('\u0001')
    .slice(1)
    .map((text) => {
      const [subject = '', ...files] = text.split('\0').map((field) => field.replace(/^\n/, ''));
      return {
        files: files.filter((file) => file !== ''),
        isFix: isFix(subject),
      };
    })
    .filter(({ files }) => files.length >= 1 && files.length <= 30);
}

export interface Quality {
  readonly asked: number;
  /** Of those asked: at least one of the first three or ten was changed in the same commit. */
  readonly hit: Readonly<Record<'memory' | 'frequent' | 'folder', readonly [top3: number, top10: number]>>;
  /** Share of questions without evidence, which are answered with nothing. */
  readonly abstained: number;
  /** Of those that were answered. */
  readonly answeredHit: readonly [top3: number, top10: number];
  /** Share of the files that fixes changed among a fifth of all: the first of the ranking, those changed most, the largest. */
  readonly fixShare: Readonly<Record<'ranking' | 'frequent' | 'largest', number>>;
  readonly fixFiles: number;
}

export async function measureQuality(
  directory: string,
  now: number,
  commits: readonly HeldOut[],
): Promise<Quality> {
  using memory = await openMemory({ directory, budget: budgetOf(600_000), now });
  const all = ranking(memory, 1_000_000).files;
  const known = new Set(all.map(({ path }) => path));
  const frequent = all.toSorted((a, b) => b.churn_score - a.churn_score).map(({ path }) => path);
  const byFolder = Map.groupBy(frequent, (path) => posix.dirname(path));
  const sizes = new Map(frequent.map((path) => [path, sizeOf(join(directory, path))]));
  const fifth = (paths: readonly string[]) => new Set(paths.slice(0, Math.ceil(all.length / 5)));
  const fifths = {
    ranking: fifth(all.map(({ path }) => path)),
    frequent: fifth(frequent),
    largest: fifth(frequent.toSorted((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0))),
  };
  const hits = { memory: [0, 0], frequent: [0, 0], folder: [0, 0] };
  let asked = 0;
  let abstained = 0;
  let fixFiles = 0;
  const fixed = { ranking: 0, frequent: 0, largest: 0 };
  for (const { files, isFix } of commits) {
    const present = files.filter((file) => known.has(file));
    for (const file of present) {
      if (isFix) {
        fixFiles++;
        for (const [name, paths] of Object.entries(fifths) as [keyof typeof fifths, Set<string>][])
          if (paths.has(file)) fixed[name]++;
      }
      const others = new Set(present.filter((other) => other !== file));
      if (others.size === 0) continue;
      asked++;
      const predicted = neighbors(memory, file, 10).neighbors.map(({ path }) => path);
      if (predicted.length === 0) abstained++;
      const lists = {
        memory: predicted,
        frequent: frequent.slice(0, 11).filter((other) => other !== file),
        folder: (byFolder.get(posix.dirname(file)) ?? []).slice(0, 11).filter((other) => other !== file),
      };
      for (const [name, list] of Object.entries(lists) as [keyof typeof hits, readonly string[]][]) {
        if (list.slice(0, 3).some((path) => others.has(path))) hits[name][0] = (hits[name][0] ?? 0) + 1;
        if (list.slice(0, 10).some((path) => others.has(path))) hits[name][1] = (hits[name][1] ?? 0) + 1;
      }
    }
  }
  const share = (counts: readonly number[], of: number): readonly [number, number] => [
    (counts[0] ?? 0) / Math.max(1, of),
    (counts[1] ?? 0) / Math.max(1, of),
  ];
  return {
    asked,
    hit: {
      memory: share(hits.memory, asked),
      frequent: share(hits.frequent, asked),
      folder: share(hits.folder, asked),
    },
    abstained: abstained / Math.max(1, asked),
    answeredHit: share(hits.memory, asked - abstained),
    fixShare: {
      ranking: fixed.ranking / Math.max(1, fixFiles),
      frequent: fixed.frequent / Math.max(1, fixFiles),
      largest: fixed.largest / Math.max(1, fixFiles),
    },
    fixFiles,
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
