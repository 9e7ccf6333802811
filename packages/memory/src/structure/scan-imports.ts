/*
 * What each language imports, found without parsing: comments and strings are passed over whole, and of what is left only the words
 * that import are looked at. Every alternative ends wherever its text does and takes what it has looked at, so the time is linear in the text,
 * whatever it says. Strings end with their line: one that is taken wrongly costs no more than that.
 */

interface Scan {
  /** Comments and literals. */
  readonly passed: readonly RegExp[];
  /** What imports, in the group `name`, or in groups that `names` knows. */
  readonly found: readonly RegExp[];
  readonly names?: (groups: Groups) => readonly (string | undefined)[];
}
type Groups = Readonly<Record<string, string | undefined>>;

const SLASHES = /\/\/[^\n]*/;
const BLOCK = /\/\*(?:[\s\S]*?\*\/|[\s\S]*)/;
/** One that may hold others. */
const NESTED_BLOCK = /\/\*(?:(?:[^*/]|\*(?!\/)|\/(?!\*)|\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/)*\*\/|[\s\S]*)/;
const HASH = /#[^\n]*/;
const SINGLE = /'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'?/;
const DOUBLE = /"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"?/;
const BACKTICKS = /`[^`\\]*(?:\\[\s\S][^`\\]*)*`?/;
const RAW_BACKTICKS = /`[^`]*`?/;
const CHARACTER = /'(?:\\[^\n][^'\n]*|[^'\\\n])'/;
const TRIPLE_DOUBLE = /"""[^"\\]*(?:(?:\\[\s\S]|"(?!""))[^"\\]*)*(?:""")?/;
const TRIPLE_SINGLE = /'''[^'\\]*(?:(?:\\[\s\S]|'(?!''))[^'\\]*)*(?:''')?/;
/** A slash where a value begins; elsewhere it divides. What is before it is looked at behind the slash: before every character it would be dear. */
const PATTERN =
  /\/(?<=(?:^|[(,=:[&|?{;*~>]|(?<![\w)\]])!|(?<!\+)\+|\b(?:return|typeof|case|of|in))[ \t]*\/)(?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\]?)*\/?/;
/** A comment of a line goes to its end, whatever follows: else it could end anywhere and begin again. */
const BETWEEN = String.raw`(?:\s|\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/|\/\/[^\n]*(?:\n|$(?![\s\S])))*`;

const COMMENTS = new RegExp(`${SLASHES.source}|${BLOCK.source}`, 'g');

const SCRIPT: Scan = {
  passed: [SLASHES, BLOCK, PATTERN, SINGLE, DOUBLE, BACKTICKS],
  found: [
    new RegExp(
      String.raw`(?<![\w$.#])(?:from${BETWEEN}|(?:import|require)${BETWEEN}(?:\(${BETWEEN})?)(?:'(?<name>[^'\\\n]+)'|"(?<name>[^"\\\n]+)")`,
    ),
  ],
};

const SCANS: Readonly<Record<string, Scan>> = {
  typescript: SCRIPT,
  tsx: SCRIPT,
  javascript: SCRIPT,
  python: {
    passed: [HASH, TRIPLE_DOUBLE, TRIPLE_SINGLE, SINGLE, DOUBLE],
    found: [
      /(?<=^|[;:])[ \t]*import[ \t]+(?<modules>(?:[^\n#;\\]|\\[\s\S])*)/,
      /(?<=^|[;:])[ \t]*from\b[ \t]*(?<from>[^\s;#'"()]+)[ \t]*\bimport\b[ \t]*(?<listed>\((?:[^)#]|#[^\n]*)*\)?|(?:[^\n#;\\]|\\[\s\S])*)/,
    ],
    names: ({ modules, from, listed }) =>
      from === undefined ? namesIn(modules) : [from, ...namesIn(listed).map((name) => `${from}:${name}`)],
  },
  go: {
    passed: [SLASHES, BLOCK, RAW_BACKTICKS, DOUBLE, CHARACTER],
    found: [
      /import(?<=(?:^|;[ \t]*)import)\s*(?<group>\((?:[^)/"]|"[^"\n]*"?|\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)|\/)*\)?)/,
      /import(?<=(?:^|;[ \t]*)import)\s*(?:[\w.]+[ \t]*)?["`](?<name>[^"`\n]*)["`]/,
    ],
    names: ({ group, name }) =>
      name === undefined
        ? [...(group ?? '').replace(COMMENTS, '').matchAll(/["`]([^"`\n]+)["`]/g)].map(
            (each) => each[1] ?? '',
          )
        : [name],
  },
  rust: {
    passed: [
      SLASHES,
      NESTED_BLOCK,
      /\b[bc]?r(?<hashes>#{0,8})"(?:[\s\S]*?"\k<hashes>|[\s\S]*)/,
      /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?/,
      CHARACTER,
    ],
    found: [
      new RegExp(String.raw`(?<![\w.:#])use\s+(?<name>(?:[^;/]|${SLASHES.source}|${BLOCK.source}|\/)+)`),
      /(?<![\w.:#])mod\s+(?<name>\w+)\s*;/,
    ],
    names: ({ name }) => [name?.replace(COMMENTS, '')],
  },
  java: {
    passed: [SLASHES, BLOCK, TRIPLE_DOUBLE, DOUBLE, CHARACTER],
    found: [/^[ \t]*import\s+(?:static\s+)?(?<name>[^\s;*/]+)/],
    names: ({ name }) => [(name ?? '').replace(/\.$/, '')],
  },
  cpp: {
    passed: [
      SLASHES,
      BLOCK,
      /\bR"(?<hashes>[^()\\\s"]{0,16})\((?:[\s\S]*?\)\k<hashes>"|[\s\S]*)/,
      DOUBLE,
      CHARACTER,
    ],
    // What is in angle brackets is of this tree only when it names a folder.
    found: [/^[ \t]*#[ \t]*include[ \t]*(?:"(?<name>[^"\n]+)"|<(?<name>[^>\n/]+\/[^>\n]*)>)/],
  },
  ruby: {
    passed: [/^=begin\b(?:[\s\S]*?^=end\b|[\s\S]*)/, HASH, SINGLE, DOUBLE],
    found: [
      /(?<![\w.:@$])(?:Kernel\.)?(?:require(?:_relative)?|load|autoload[ \t]*(?:\([ \t]*)?:\w+[ \t]*,)[ \t]*(?:\([ \t]*)?(?:'(?<name>[^'\n]+)'|"(?<name>[^"\n#]+)")/,
    ],
  },
  php: {
    passed: [SLASHES, HASH, BLOCK, SINGLE, DOUBLE],
    found: [
      /(?<=^|<\?php|;)[ \t]*use\s+(?:(?:function|const)\s+)?(?<used>[^;({]*)(?:\{(?<group>[^}]*))?/,
      /(?<![\w$>:\\])(?:require|include)(?:_once)?\s*(?:\(\s*)?(?:(?:[A-Z_]\w*|\$\w+|dirname\([^)\n]{0,100}\){1,2})\s*\.\s*)?(?:'(?<name>[^'\n]+)'|"(?<name>[^"\n$]+)")/,
    ],
    names: ({ used = '', group, name }) => {
      if (name !== undefined) return [name];
      const prefix = used.trim().replace(/^\\/, '');
      return prefix.endsWith('\\')
        ? namesIn(group?.replace(/\b(?:function|const)\s/g, '')).map((each) => prefix + each)
        : namesIn(used).flatMap((each) => (each.includes('\\') ? [each.replace(/^\\/, '')] : []));
    },
  },
  bash: {
    passed: [/(?<![\w$\\{])#[^\n]*/, SINGLE, DOUBLE],
    found: [
      /(?<=^|[;&|({]|\b(?:then|do|else))[ \t]*(?:source|\.)[ \t]+(?:"(?<name>(?:[^"\n$]|\$(?!\()|\$\((?:[^()\n]|\([^()\n]{0,200}\)){0,200}\))+)"|'(?<name>[^'\n]+)'|(?<name>(?:[^\s;&|)"'`$]|\$(?!\()|\$\((?:[^()\n]|\([^()\n]{0,200}\)){0,200}\))+)(?=[\s;&|)]|$))/,
    ],
  },
  powershell: {
    passed: [
      /<#(?:[\s\S]*?#>|[\s\S]*)/,
      /@(?<quote>["'])[ \t]*\n(?:[\s\S]*?\n\k<quote>@|[\s\S]*)/,
      HASH,
      /'[^'\n]*'?/,
      /"[^"`\n]*(?:`[\s\S][^"`\n]*)*"?/,
    ],
    found: [
      /(?<=^|[;{(|])[ \t]*\.[ \t]+(?:"(?<name>[^"\n]+)"|'(?<name>[^'\n]+)'|(?<name>[^\s;|)"'`]+))/,
      /(?<![\w-])(?:[Ii]mport-[Mm]odule[ \t]+(?:-[Nn]ame[ \t]+)?|[Uu]sing[ \t]+[Mm]odule[ \t]+)(?:"(?<name>[^"\n]+)"|'(?<name>[^'\n]+)'|(?<name>[^\s;|)"'`-][^\s;|)"'`]*))/,
    ],
  },
  css: {
    passed: [BLOCK, SINGLE, DOUBLE],
    found: [/@import\s+(?:url\(\s*)?(?:"(?<name>[^"\n]+)"|'(?<name>[^'\n]+)'|(?<name>[^\s"'();]+))/],
  },
};

/** Of a list with commas, the names without what they are called here. */
function namesIn(list = ''): readonly string[] {
  return list
    .replace(/#[^\n]*/g, '')
    .split(',')
    .map((each) => /[^\s()\\]\S*/.exec(each)?.[0].replace(/[()\\]+$/, '') ?? '')
    .filter((name) => name !== '');
}

const tokens = new Map(
  Object.entries(SCANS).map(([language, { passed, found }]) => [
    language,
    new RegExp([...passed, ...found].map(({ source }) => source).join('|'), 'gm'),
  ]),
);

/** The specifiers a text imports, as they are written, each once; of Python `from` imports also `module:name`. */
export function scanImports(text: string, language: string): readonly string[] {
  const token = tokens.get(language);
  const scan = SCANS[language];
  const imports = new Set<string>();
  if (token === undefined || scan === undefined) return [];
  const { names = ({ name }: Groups) => [name] } = scan;
  for (const { groups = {} } of text.matchAll(token))
    for (const name of names(groups)) if (name !== undefined && name !== '') imports.add(name.trim());
  return [...imports];
}
