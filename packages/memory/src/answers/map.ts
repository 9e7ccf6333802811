import type { RepositoryMap } from '@palisade/contracts';
import { assertBudget } from '@palisade/workspace';
import type { Memory } from '../open-memory.ts';
import { contentOf } from '../repository/file-content.ts';
import { languageOf } from '../structure/languages.ts';
import { MOST_BYTES } from '../structure/parse.ts';
import { SymbolReader } from '../structure/symbol-reader.ts';
import { isTestFile } from '../structure/test-file.ts';
import { indexEvidence } from './evidence.ts';
import { freshnessOf } from './freshness.ts';

const CHARS_PER_TOKEN = 4;
const DAMPING = 0.85;
const ROUNDS = 20;
const MOST_SYMBOLS = 12;

/**
 * A file matters as much as the files that import it do: the rank of PageRank over imports, beginning at the
 * files that are changed now or, without any, everywhere alike. What they define is read now, of the files as they lie there.
 */
export async function repositoryMap(
  memory: Memory,
  budget: number,
  around: readonly string[],
): Promise<RepositoryMap> {
  const { database } = memory;
  const paths = database
    .all<{ path: string }>('SELECT path FROM tree WHERE structure IS NOT NULL ORDER BY path')
    .map((row) => row.path)
    .filter((path) => !isTestFile(path));
  const ranks = rankOf(memory, paths, around);
  const ordered = paths.toSorted((a, b) => (ranks.get(b) ?? 0) - (ranks.get(a) ?? 0) || (a < b ? -1 : 1));
  await using reader = new SymbolReader();
  const blocks: string[] = [];
  let left = budget * CHARS_PER_TOKEN;
  for (const path of ordered) {
    const block = await blockOf(memory, reader, path);
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

async function blockOf(memory: Memory, reader: SymbolReader, path: string): Promise<string> {
  const language = languageOf(path);
  const content = contentOf(memory.repository, path, MOST_BYTES);
  if (language === undefined || content === undefined) return `${path}\n`;
  assertBudget(memory.budget);
  const symbols = await reader.read(content, language);
  if (symbols === undefined) return `${path}\n  … cannot be read\n`;
  const shown = symbols.slice(0, MOST_SYMBOLS).map(({ kind, name, line }) => `  ${kind} ${name} :${line}\n`);
  const rest = symbols.length - shown.length;
  return `${path}\n${shown.join('')}${rest > 0 ? `  … ${rest} more\n` : ''}`;
}
