/** What a Go file names at its top, and the names that it uses besides, each once. */
export interface GoNames {
  readonly defines: readonly string[];
  readonly uses: readonly string[];
}

const MOST = 4_000;
const LONGEST = 200;
const TOKEN =
  /\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)|`[^`]*`?|"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"?|'(?:\\[^\n][^'\n]*|[^'\\\n])'|(?<word>[\p{L}_][\p{L}\p{Nd}_]*)|(?<mark>[()[\]{}\n;,=])/gu;

/** What is declared several at a time, with commas between the names. */
const LISTS: ReadonlySet<string> = new Set(['const', 'var']);

/** Told by the tokens alone: functions, methods, types, constants and variables outside of every function. */
export function goNames(text: string): GoNames {
  const defines = new Set<string>();
  const uses = new Set<string>();
  let depth = 0;
  /** The keyword of the declaration that is being read, and how deep its names lie. */
  let keyword = '';
  let level = 0;
  /** Whether a name here is what is declared, and whether a comma is between names. */
  let isNext = false;
  let isList = false;
  for (const { groups = {} } of text.matchAll(TOKEN)) {
    const { word, mark } = groups;
    if (word !== undefined) {
      if (depth === 0 && (word === 'func' || word === 'type' || LISTS.has(word))) {
        keyword = word;
        level = 0;
        isNext = true;
        isList = LISTS.has(word);
      } else if (isNext && depth === level && keyword !== '') {
        if (defines.size < MOST && word.length <= LONGEST) defines.add(word);
        isNext = false;
        if (keyword === 'func') keyword = '';
      } else if (uses.size < MOST && word.length > 1 && word.length <= LONGEST) uses.add(word);
    } else if (mark === '(' || mark === '[' || mark === '{') {
      // A list of declarations; of a method its receiver, after which its name comes.
      if (mark === '(' && depth === 0 && isNext && keyword !== 'func') level = 1;
      depth++;
    } else if (mark === ')' || mark === ']' || mark === '}') {
      depth = Math.max(0, depth - 1);
      if (depth < level) keyword = '';
    } else if (mark !== undefined && depth === level && keyword !== '') {
      isNext = mark === ',' ? isList : mark !== '=' && level === 1;
      if (mark !== ',') isList = mark !== '=' && LISTS.has(keyword);
    }
  }
  return { defines: [...defines], uses: [...uses] };
}
