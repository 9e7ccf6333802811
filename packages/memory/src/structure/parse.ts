import type * as TreeSitter from '@vscode/tree-sitter-wasm';
import { grammarFile, loadRuntime } from './grammar-files.ts';
import type { Language } from './languages.ts';

/** Something that has a name in a file. Lines count from 1. */
export interface CodeSymbol {
  readonly name: string;
  readonly kind: string;
  readonly line: number;
  readonly end: number;
}

/** What one content says. */
export interface Structure {
  readonly symbols: readonly CodeSymbol[];
  /** Specifiers as they are written; of Python `from` imports `module:name`. */
  readonly imports: readonly string[];
  /** Names that are used, each once. */
  readonly uses: readonly string[];
}

/** Bigger than what people write by hand; the tables of a generator say nothing. */
export const MOST_BYTES = 1024 * 1024;
const MOST_SYMBOLS = 2_000;
const MOST_USES = 4_000;
const LONGEST_NAME = 200;

/** A structure as the columns of its row. */
export interface StoredStructure {
  readonly symbols: string;
  readonly imports: string;
  readonly uses: string;
}

export function stored({ symbols, imports, uses }: Structure): StoredStructure {
  return { symbols: JSON.stringify(symbols), imports: JSON.stringify(imports), uses: uses.join(' ') };
}

interface Loaded {
  readonly parser: TreeSitter.Parser;
  readonly query: TreeSitter.Query;
}

let loaded = new Map<string, Promise<Loaded>>();
let started: Promise<typeof TreeSitter> | undefined;

async function start(): Promise<typeof TreeSitter> {
  const runtime = loadRuntime();
  await runtime.Parser.init({ locateFile: grammarFile });
  return runtime;
}

async function load({ grammar, query }: Language): Promise<Loaded> {
  started ??= start();
  const { Language: Grammar, Parser, Query } = await started;
  const language = await Grammar.load(grammarFile(`${grammar}.wasm`));
  const parser = new Parser();
  parser.setLanguage(language);
  return { parser, query: new Query(language, query) };
}

/**
 * Reads the structure of a text; of what does not parse, the parts that do. Undefined of a text that the runtime cannot bear, which
 * is loaded anew then, and of one that takes longer than `mostMs`, as far as the runtime can be stopped: only ending its thread ends it for sure.
 */
export async function parseStructure(
  text: string,
  language: Language,
  mostMs = Number.POSITIVE_INFINITY,
): Promise<Structure | undefined> {
  let grammar = loaded.get(language.name);
  if (grammar === undefined) {
    grammar = load(language);
    loaded.set(language.name, grammar);
  }
  const { parser, query } = await grammar;
  const deadline = performance.now() + mostMs;
  const progressCallback = () => performance.now() > deadline;
  try {
    const tree = parser.parse(text, null, { progressCallback });
    if (tree === null) {
      parser.reset();
      return undefined;
    }
    const captures = query.captures(tree.rootNode, { progressCallback });
    const structure = performance.now() > deadline ? undefined : structureOf(captures, language.isNamedOnce);
    tree.delete();
    return structure;
  } catch {
    loaded = new Map();
    started = undefined;
    return undefined;
  }
}

function structureOf(captures: readonly TreeSitter.QueryCapture[], isNamedOnce = false): Structure {
  const symbols: CodeSymbol[] = [];
  const imports = new Set<string>();
  const uses = new Set<string>();
  const named = new Set<number>();
  const known = new Set<string>();
  const used: TreeSitter.Node[] = [];
  for (const { name: kind, node } of captures) {
    if (kind === 'use') used.push(node);
    else if (kind === 'import') imports.add(unquoted(node.text));
    else if (kind === 'import_from') for (const each of pythonNames(node)) imports.add(each);
    else if (kind === 'import_group') for (const each of phpNames(node)) imports.add(each);
    else if (!kind.startsWith('_')) {
      named.add(node.startIndex);
      if (isNamedOnce && known.size === known.add(`${kind} ${node.text}`).size) continue;
      const { row } = (node.parent ?? node).endPosition;
      if (symbols.length < MOST_SYMBOLS && node.text.length <= LONGEST_NAME)
        symbols.push({ name: node.text, kind, line: node.startPosition.row + 1, end: row + 1 });
    }
  }
  for (const node of used) {
    if (named.has(node.startIndex) || uses.size >= MOST_USES) continue;
    const name = node.text;
    if (name.length > 1 && name.length <= LONGEST_NAME) uses.add(name);
  }
  return { symbols, imports: [...imports], uses: [...uses] };
}

function unquoted(text: string): string {
  return text.replace(/^["'<`]|["'>`]$/g, '');
}

/** `from a.b import c, d` imports `a.b`, and `a.b.c` where that is a module. */
function pythonNames(node: TreeSitter.Node): readonly string[] {
  const from = node.childForFieldName('module_name')?.text ?? '';
  const names = node
    .childrenForFieldName('name')
    .map((each) => (each?.type === 'aliased_import' ? each.childForFieldName('name') : each)?.text ?? '');
  return [from, ...names.map((name) => `${from}:${name}`)];
}

/** `use A\{B, C as D}` imports `A\B` and `A\C`. */
function phpNames(node: TreeSitter.Node): readonly string[] {
  const [prefix, group] = node.namedChildren.slice(-2);
  return (group?.namedChildren ?? []).flatMap((clause) => {
    const name = clause?.namedChildren[0]?.text;
    return name === undefined ? [] : [`${prefix?.text}\\${name}`];
  });
}
