import { PalisadeError, type RepositoryMap } from '@palisade/contracts';
import { assertBudget } from '@palisade/workspace';
import { type Memory, pathWithin } from '../open-memory.ts';
import { contentOf, isRegularFile } from '../repository/file-content.ts';
import { isForeign, saysGenerated } from '../structure/foreign-file.ts';
import { languageOf } from '../structure/languages.ts';
import { type CodeSymbol, MOST_BYTES } from '../structure/parse.ts';
import { SymbolReader } from '../structure/symbol-reader.ts';
import { isTestFile } from '../structure/test-file.ts';
import { indexEvidence } from './evidence.ts';
import { freshnessOf } from './freshness.ts';
import { noSuchFile } from './no-such-file.ts';

const CHARS_PER_TOKEN = 4;
const DAMPING = 0.85;
const ROUNDS = 20;
const MOST_SYMBOLS = 12;

/**
 * A file matters as much as the files that import it do: the rank of PageRank over imports, beginning at the
 * files that are named or, without any, everywhere alike. What others wrote and what programs made comes after it, unless it is
 * named. What they define is read now, of the files as they lie there. Errors: `not_found` and `unsafe_path` of what is named.
 */
export async function repositoryMap(
  memory: Memory,
  budget: number,
  around: readonly string[],
): Promise<RepositoryMap> {
  const named = around.map((written) => knownPath(memory, written));
  const paths = memory.database
    .all<{ path: string; structure: number | null }>('SELECT path, structure FROM tree ORDER BY path')
    .filter(({ path, structure }) => (structure !== null && !isTestFile(path)) || named.includes(path))
    .map((row) => row.path);
  const ranks = rankOf(memory, paths, named);
  // What is around such a file is such files.
  const isLast = (path: string) => !named.some(isForeign) && isForeign(path);
  const ordered = paths.toSorted(
    (a, b) =>
      Number(isLast(a)) - Number(isLast(b)) || (ranks.get(b) ?? 0) - (ranks.get(a) ?? 0) || (a < b ? -1 : 1),
  );
  await using reader = new SymbolReader();
  const blocks: string[] = [];
  const generated: string[] = [];
  let left = budget * CHARS_PER_TOKEN;
  const show = async (path: string, content: Buffer | undefined) => {
    if (path.length + 1 > left) return false;
    // What is gone since the index was made is no part of the tree.
    if (content === undefined && !isRegularFile(memory.repository, path)) return true;
    const whole = await blockOf(memory, reader, path, content);
    // The first that does not fit is cut and is the last: every one that is tried is read.
    const block = headOf(whole, left);
    blocks.push(block);
    left -= block.length;
    return block === whole && left >= 40;
  };
  for (const path of ordered) {
    const content = contentOf(memory.repository, path, MOST_BYTES);
    if (content !== undefined && !named.includes(path) && saysGenerated(content)) generated.push(path);
    else if (!(await show(path, content))) break;
  }
  for (const path of generated)
    if (!(await show(path, contentOf(memory.repository, path, MOST_BYTES)))) break;
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

/** The lines from the start that fit. */
function headOf(block: string, most: number): string {
  return block.length <= most ? block : block.slice(0, block.lastIndexOf('\n', most - 1) + 1);
}

/** The path of a file of the index from what the caller wrote. Errors: `unsafe_path`, `not_found`. */
function knownPath(memory: Memory, written: string): string {
  const path = pathWithin(memory, written);
  if (memory.database.get('SELECT 1 AS found FROM tree WHERE path = ?', path) !== undefined) return path;
  const isFile = isRegularFile(memory.repository, path);
  const isFolder = memory.database.get(
    'SELECT 1 AS found FROM tree WHERE path BETWEEN ? AND ?',
    `${path}/`,
    `${path}0`,
  );
  if (!isFile && isFolder === undefined) throw noSuchFile(memory, path);
  throw new PalisadeError('not_found', `${path} is ${isFile ? 'not in the index' : 'no file'}`, {
    next: isFile ? 'pal repo index' : 'name files of it',
  });
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

async function blockOf(
  memory: Memory,
  reader: SymbolReader,
  path: string,
  content: Buffer | undefined,
): Promise<string> {
  const language = languageOf(path);
  if (language === undefined || content === undefined) return `${path}\n`;
  assertBudget(memory.budget);
  const found = await reader.read(content, language);
  if (found === undefined) return `${path}\n  … cannot be read\n`;
  const symbols = found.filter((symbol, at) => at > 0 || !isIncludeGuard(path, symbol));
  const shown = symbols.slice(0, MOST_SYMBOLS).map(({ kind, name, line }) => `  ${kind} ${name} :${line}\n`);
  const rest = symbols.length - shown.length;
  return `${path}\n${shown.join('')}${rest > 0 ? `  … ${rest} more\n` : ''}`;
}

/** Whether the first name of a header only keeps it from being read twice: a macro that is called like it, or ends in `_H`. */
function isIncludeGuard(path: string, { kind, name }: CodeSymbol): boolean {
  const header = /([^/]+)\.(?:h|hh|hpp|hxx)$/i.exec(path)?.[1];
  if (header === undefined || kind !== 'macro') return false;
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return plain(name) === plain(header) || /_h(?:h|pp|xx)?_*(?:included_*)?$/i.test(name);
}
