import type * as TreeSitter from '@vscode/tree-sitter-wasm';
import { grammarFile, loadRuntime } from './grammar-files.ts';
import type { Language } from './languages.ts';

/** Something that has a name in a file. Lines count from 1. */
export interface CodeSymbol {
  readonly name: string;
  readonly kind: string;
  readonly line: number;
}

/** Bigger than what people write by hand; the tables of a generator say nothing. */
export const MOST_BYTES = 1024 * 1024;
const MOST_SYMBOLS = 2_000;
const LONGEST_NAME = 200;

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
 * Reads the symbols of a text; of what does not parse, the parts that do. Undefined of a text that the runtime cannot bear, which
 * is loaded anew then. There are short texts that it takes seconds for and does not stop within: only ending its thread ends it.
 */
export async function parseSymbols(
  text: string,
  language: Language,
): Promise<readonly CodeSymbol[] | undefined> {
  let grammar = loaded.get(language.name);
  if (grammar === undefined) {
    grammar = load(language);
    loaded.set(language.name, grammar);
  }
  const { parser, query } = await grammar;
  try {
    const tree = parser.parse(text);
    if (tree === null) return undefined;
    const symbols = symbolsOf(query.captures(tree.rootNode), language.isNamedOnce);
    tree.delete();
    return symbols;
  } catch {
    loaded = new Map();
    started = undefined;
    return undefined;
  }
}

function symbolsOf(captures: readonly TreeSitter.QueryCapture[], isNamedOnce = false): readonly CodeSymbol[] {
  const symbols = captures
    // What two patterns find is what the first of them calls it.
    .filter(({ node }, at) => at === 0 || captures[at - 1]?.node.id !== node.id)
    .slice(0, MOST_SYMBOLS)
    .map(({ name: kind, node }) => ({ name: node.text, kind, line: node.startPosition.row + 1 }))
    .filter(({ name }) => name.length <= LONGEST_NAME);
  if (!isNamedOnce) return symbols;
  const known = new Set<string>();
  return symbols.filter(({ name, kind }) => known.size < known.add(`${kind} ${name}`).size);
}
