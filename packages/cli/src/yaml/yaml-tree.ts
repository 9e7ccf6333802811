import { PalisadeError } from '@palisade/contracts';
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';

/*
 * YAML (1.2, core schema) from files that a repository brings. What it says is taken only where JSON could
 * say it too: names are strings, nobody is named twice, there are no tags, one document. An alias is a copy
 * and counts like one, so a few lines cannot stand for millions of values. No message quotes the text:
 * somebody may have written a secret there.
 */

/** Where something stands, counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export type Tree = ScalarTree | ListTree | MapTree;
export interface ScalarTree {
  readonly kind: 'scalar';
  readonly at: Place;
  readonly value: string | number | boolean | null;
  /** As it was written, when that was without quotes. */
  readonly source: string | undefined;
}
export interface ListTree {
  readonly kind: 'list';
  readonly at: Place;
  readonly items: readonly Tree[];
}
export interface MapTree {
  readonly kind: 'map';
  readonly at: Place;
  readonly members: Map<string, Member>;
}
export interface Member {
  /** Of the name. */
  readonly at: Place;
  readonly value: Tree;
}

/** How much of a document is taken. */
export interface TreeLimits {
  /** Values, copies by alias included. */
  readonly values: number;
  readonly depth: number;
}

const TWICE = 'a name is given twice in one mapping';
const WORDS: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'there is more than one document',
  TAB_AS_INDENT: 'a tab indents',
  BAD_INDENT: 'it is indented wrongly',
  NON_STRING_KEY: 'a name is no string',
  TAG_RESOLVE_FAILED: 'a tag is used',
  MISSING_CHAR: 'a character is missing, such as a closing quote or bracket',
  MULTILINE_IMPLICIT_KEY: 'a name goes over several lines',
  BLOCK_AS_IMPLICIT_KEY: 'a mapping begins where a value is expected',
  UNEXPECTED_TOKEN: 'something unexpected follows',
  RESOURCE_EXHAUSTION: 'it is nested too deeply',
};

/**
 * Parses YAML text; `firstLine` is where it begins in its file. Raises `invalid_input` naming `shown` and
 * the place, `too_large` beyond the limits.
 */
export function parseYaml(text: string, shown: string, limits: TreeLimits, firstLine = 1): Tree {
  const lines = new LineCounter();
  const placeOf = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: line + firstLine - 1, column: col };
  };
  const document = parsed(text, shown, lines);
  const fault = document.errors[0] ?? document.warnings[0];
  if (fault !== undefined) {
    const { line, column } = placeOf(fault.pos[0]);
    throw new PalisadeError(
      'invalid_input',
      `${shown}:${line}:${column}: ${WORDS[fault.code] ?? 'this is not YAML'}`,
    );
  }
  return new Reader(shown, limits, placeOf).read(document.contents);
}

function parsed(text: string, shown: string, lineCounter: LineCounter): Document.Parsed {
  try {
    return parseDocument(text, {
      version: '1.2',
      schema: 'core',
      merge: false,
      strict: true,
      stringKeys: true,
      // Found here while reading: the parser's own search compares every name with every other.
      uniqueKeys: false,
      prettyErrors: false,
      // At 'silent' it does not tell of a second document. It prints nothing either way.
      logLevel: 'error',
      lineCounter,
    });
  } catch {
    // The parser descends into what is nested; what it says of its end quotes nothing of ours.
    throw new PalisadeError('too_large', `${shown} is nested too deeply`);
  }
}

class Reader {
  // The parser's own resolution walks the whole document for every alias.
  readonly #anchors = new Map<string, Node>();
  readonly #shown: string;
  readonly #limits: TreeLimits;
  readonly #placeOf: (offset: number) => Place;
  #values = 0;

  constructor(shown: string, limits: TreeLimits, placeOf: (offset: number) => Place) {
    this.#shown = shown;
    this.#limits = limits;
    this.#placeOf = placeOf;
  }

  read(node: Node | null | undefined, depth = 0): Tree {
    const at = this.#placeOf(node?.range?.[0] ?? 0);
    if (++this.#values > this.#limits.values)
      throw new PalisadeError('too_large', `${this.#shown} has more than ${this.#limits.values} values`);
    // An anchor within itself ends here too.
    if (depth > this.#limits.depth)
      throw new PalisadeError('too_large', `${this.#shown} is nested more than ${this.#limits.depth} deep`);
    if (node === null || node === undefined) return { kind: 'scalar', at, value: null, source: '' };
    if ('anchor' in node && node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isAlias(node)) {
      const anchored = this.#anchors.get(node.source);
      if (anchored === undefined) throw this.#refused(at, 'an alias has no anchor before it');
      return this.read(anchored, depth + 1);
    }
    if (isScalar(node)) return this.#scalar(node, at);
    if (isMap(node)) return this.#map(node as YAMLMap<Node, Node | null>, at, depth);
    if (isSeq(node)) {
      const items = (node as YAMLSeq<Node>).items.map((item) => this.read(item, depth + 1));
      return { kind: 'list', at, items };
    }
    throw this.#refused(at, 'this is no value');
  }

  #scalar(node: { value: unknown; source?: string; type?: string; tag?: string }, at: Place): Tree {
    const { value } = node;
    const isPlain = node.type === 'PLAIN';
    if (
      value === null ||
      typeof value === 'string' ||
      typeof value === 'boolean' ||
      typeof value === 'number'
    )
      return { kind: 'scalar', at, value, source: isPlain ? node.source : undefined };
    throw this.#refused(at, 'this is no text, number, boolean or null');
  }

  #map(node: YAMLMap<Node, Node | null>, at: Place, depth: number): Tree {
    const members = new Map<string, Member>();
    for (const { key, value } of node.items) {
      const where = this.#placeOf(key.range?.[0] ?? 0);
      const name = isScalar(key) ? key.value : undefined;
      if (typeof name !== 'string') throw this.#refused(where, 'a name is no string');
      if (members.has(name)) throw this.#refused(where, TWICE);
      members.set(name, { at: where, value: this.read(value, depth + 1) });
    }
    return { kind: 'map', at, members };
  }

  #refused({ line, column }: Place, why: string): PalisadeError {
    return new PalisadeError('invalid_input', `${this.#shown}:${line}:${column}: ${why}`);
  }
}
