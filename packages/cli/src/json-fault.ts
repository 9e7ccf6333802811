/** The first place where a text stops being JSON. Line and column count from 1, in characters. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
  /** One character in quotes, or `the end`: never more, the text may hold what must not be repeated. */
  readonly found: string;
  readonly expected: string;
}

type Expects = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | ', or }' | ', or ]' | 'end';

const WORDS: Readonly<Record<Expects, string>> = {
  value: 'a value',
  'value or ]': 'a value or "]"',
  name: 'a name in double quotes',
  'name or }': 'a name in double quotes or "}"',
  ':': '":"',
  ', or }': '"," or "}"',
  ', or ]': '"," or "]"',
  end: 'the end',
};
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/**
 * Where and why a text is no JSON, or null when it is. JSON.parse names no place for most of its
 * errors. Keeps its own stack, so that deep nesting is no danger.
 */
export function jsonFault(text: string): JsonFault | null {
  const open: ('{' | '[')[] = [];
  let expects: Expects = 'value';
  let at = 0;
  const afterValue = (): Expects => {
    const around = open.at(-1);
    return around === undefined ? 'end' : around === '{' ? ', or }' : ', or ]';
  };
  for (;;) {
    while (at < text.length && ' \t\n\r'.includes(text[at] ?? '')) at++;
    const found = text[at];
    if (found === undefined) return expects === 'end' ? null : faultAt(text, at, WORDS[expects]);
    const isValue: boolean = expects === 'value' || expects === 'value or ]';
    const isName: boolean = expects === 'name' || expects === 'name or }';
    if (found === '"' && (isValue || isName)) {
      const end = stringEnd(text, at);
      if (typeof end !== 'number') return faultAt(text, end.at, end.expected);
      at = end;
      expects = isName ? ':' : afterValue();
    } else if (isValue && (found === '{' || found === '[')) {
      open.push(found);
      expects = found === '{' ? 'name or }' : 'value or ]';
      at++;
    } else if (expects.endsWith(found) && (found === '}' || found === ']')) {
      open.pop();
      expects = afterValue();
      at++;
    } else if (found === ',' && expects.startsWith(',')) {
      expects = expects === ', or }' ? 'name' : 'value';
      at++;
    } else if (found === ':' && expects === ':') {
      expects = 'value';
      at++;
    } else {
      SCALAR.lastIndex = at;
      const scalar = isValue ? SCALAR.exec(text) : null;
      if (scalar === null) return faultAt(text, at, WORDS[expects]);
      at = SCALAR.lastIndex;
      expects = afterValue();
    }
  }
}

/** The index after a string's closing quote, or what is wrong inside of it. */
function stringEnd(text: string, start: number): number | { readonly at: number; readonly expected: string } {
  for (let at = start + 1; at < text.length; at++) {
    const found = text[at] ?? '';
    if (found === '"') return at + 1;
    if (found < ' ') return { at, expected: 'the closing quote of a string' };
    if (found !== '\\') continue;
    at++;
    if (text[at] !== 'u') {
      if (!'"\\/bfnrt'.includes(text[at] ?? '-')) return { at, expected: 'an escape such as \\n' };
    } else if (/^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5))) at += 4;
    else return { at, expected: 'an escape such as \\u00e9' };
  }
  return { at: text.length, expected: 'the closing quote of a string' };
}

function faultAt(text: string, at: number, expected: string): JsonFault {
  const before = text.slice(0, at);
  const found = text.codePointAt(at);
  return {
    line: before.split('\n').length,
    column: at - before.lastIndexOf('\n'),
    found: found === undefined ? 'the end' : JSON.stringify(String.fromCodePoint(found)),
    expected,
  };
}
