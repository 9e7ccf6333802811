import type { RepositoryMap } from '@palisade/contracts';
import type { Memory } from '../open-memory.ts';
import type { CodeSymbol } from '../structure/parse.ts';
import { isTestFile } from '../structure/test-file.ts';
import { indexEvidence } from './evidence.ts';
import { freshnessOf } from './freshness.ts';

const CHARS_PER_TOKEN = 4;
const DAMPING = 0.85;
const ROUNDS = 20;
const MOST_SYMBOLS = 12;

/**
 * A file matters as much as the files that import it do: the rank of PageRank over imports, beginning at the
 * files that are changed now or, without any, everywhere alike.
 */
export function repositoryMap(memory: Memory, budget: number, around: readonly string[]): RepositoryMap {
  const { database } = memory;
  const paths = database
    .all<{ path: string }>('SELECT path FROM tree WHERE structure IS NOT NULL ORDER BY path')
    .map((row) => row.path)
    .filter((path) => !isTestFile(path));
  const ranks = rankOf(memory, paths, around);
  const ordered = paths.toSorted((a, b) => (ranks.get(b) ?? 0) - (ranks.get(a) ?? 0) || (a < b ? -1 : 1));
  const blocks: string[] = [];
  let left = budget * CHARS_PER_TOKEN;
  for (const path of ordered) {
    const block = blockOf(memory, path);
    if (block.length > left) {
      if (path.length + 1 > left) break;
      continue;
    }
    blocks.push(block);
    left -= block.length;
    if (left < 40) break;
  }
  const text = blocks.join('');
  return {
    freshness: freshnessOf(memory),
    evidence: indexEvidence(memory, ['repo-structure']),
    tokens: Math.ceil(text.length / CHARS_PER_TOKEN),
    budget,
    shown: blocks.length,
    files: paths.length,
    text,
  };
}

function rankOf(
  { database }: Memory,
  paths: readonly string[],
  around: readonly string[],
): ReadonlyMap<string, number> {
  const index = new Map(paths.map((path, at) => [path, at]));
  const targets: number[][] = paths.map(() => []);
  for (const { source, target } of database.all<{ source: string; target: string }>(
    'SELECT source, target FROM links',
  )) {
    const from = index.get(source);
    const to = index.get(target);
    if (from !== undefined && to !== undefined) targets[from]?.push(to);
  }
  const starts = around.map((path) => index.get(path)).filter((at) => at !== undefined);
  const base = new Float64Array(paths.length).fill(starts.length === 0 ? 1 / Math.max(1, paths.length) : 0);
  for (const at of starts) base[at] = 1 / starts.length;
  let rank = base.slice();
  for (let round = 0; round < ROUNDS; round++) {
    const next = base.map((value) => value * (1 - DAMPING));
    let lost = 0;
    rank.forEach((value, from) => {
      const to = targets[from] ?? [];
      if (to.length === 0) lost += value;
      for (const at of to) next[at] = (next[at] ?? 0) + (DAMPING * value) / to.length;
    });
    rank = next.map((value, at) => value + DAMPING * lost * (base[at] ?? 0));
  }
  return new Map(paths.map((path, at) => [path, rank[at] ?? 0]));
}

function blockOf({ database }: Memory, path: string): string {
  const row = database.get<{ symbols: string }>(
    'SELECT symbols FROM tree JOIN structures ON id = structure WHERE path = ?',
    path,
  );
  const symbols = JSON.parse(row?.symbols ?? '[]') as CodeSymbol[];
  const shown = symbols.slice(0, MOST_SYMBOLS).map(({ kind, name, line }) => `  ${kind} ${name} :${line}\n`);
  const rest = symbols.length - shown.length;
  return `${path}\n${shown.join('')}${rest > 0 ? `  … ${rest} more\n` : ''}`;
}
