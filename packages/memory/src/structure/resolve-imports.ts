import { posix } from 'node:path';
import type { ScriptAliases } from './script-aliases.ts';

/** What the import of a file is resolved against. */
export interface Tree {
  readonly has: (path: string) => boolean;
  /** Paths whose last part, without its ending, is this; none when they are too many to be told apart. */
  readonly named: (stem: string) => readonly string[];
  /** What an import of the Go package in a folder leads to. */
  readonly goFiles: (folder: string) => readonly string[];
  /** Folders of the Go modules of a name. */
  readonly goModules: (name: string) => readonly string[];
  readonly aliases: ScriptAliases;
  /** Folders that Python's absolute imports of a name at the top start in, the root first. */
  readonly pythonRoots: (name: string) => readonly string[];
}

/** No path that an import means is longer, and no list that a person writes. */
const LONGEST = 1_000;
const LONGEST_LIST = 4_000;

type Resolver = (specifier: string, from: string, tree: Tree) => readonly string[];

/** The files of the tree that an import means; none of it when it is of a library. */
export function resolveImport(
  language: string,
  specifier: string,
  from: string,
  tree: Tree,
): readonly string[] {
  if (specifier.length > (language === 'rust' ? LONGEST_LIST : LONGEST)) return [];
  return (RESOLVERS[language]?.(specifier, from, tree) ?? []).filter((path) => path !== from);
}

const SCRIPT_ENDINGS = ['', '.ts', '.tsx', '.js', '.jsx', '.mts', '.cts', '.mjs', '.cjs', '.d.ts'];
/** TypeScript sources import what they will be compiled to. */
const COMPILED: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\.js$/, ['.ts', '.tsx']],
  [/\.jsx$/, ['.tsx']],
  [/\.mjs$/, ['.mts']],
  [/\.cjs$/, ['.cts']],
];

const script: Resolver = (specifier, from, tree) => {
  const places = /^\.\.?(?:\/|$)/.test(specifier)
    ? [inside(posix.join(posix.dirname(from), specifier))]
    : tree.aliases.places(specifier, from);
  for (const place of places) {
    const found = place === undefined ? undefined : scriptFile(place, tree);
    if (found !== undefined) return [found];
  }
  return [];
};

function scriptFile(place: string, tree: Tree): string | undefined {
  const compiled = COMPILED.flatMap(([ending, sources]) =>
    ending.test(place) ? sources.map((source) => place.replace(ending, source)) : [],
  );
  const candidates = [
    ...SCRIPT_ENDINGS.map((ending) => `${place}${ending}`),
    ...compiled,
    ...SCRIPT_ENDINGS.slice(1).map((ending) => posix.join(place, `index${ending}`)),
  ];
  return candidates.find((path) => tree.has(path));
}

const python: Resolver = (specifier, from, tree) => {
  const [module = '', name] = specifier.split(':');
  const dots = /^\.*/.exec(module)?.[0].length ?? 0;
  const parts = module
    .slice(dots)
    .split('.')
    .filter((part) => part !== '');
  const path = [...parts, ...(name === undefined ? [] : [name])].join('/');
  const roots =
    dots === 0
      ? tree.pythonRoots(parts[0] ?? '')
      : [posix.join(posix.dirname(from), ...Array<string>(dots - 1).fill('..'))];
  for (const root of roots) {
    const place = inside(posix.join(root, path));
    if (place === undefined) continue;
    const candidates = [`${place}.py`, `${place}.pyi`, posix.join(place, '__init__.py')];
    const found = candidates.find((each) => tree.has(each));
    if (found !== undefined) return [found];
  }
  return [];
};

/** Of the module with the longest name that the package is below. */
const go: Resolver = (specifier, _from, tree) => {
  for (let length = specifier.length; length > 0; length = specifier.lastIndexOf('/', length - 1)) {
    for (const folder of tree.goModules(specifier.slice(0, length))) {
      const files = tree.goFiles(posix.join(folder, specifier.slice(length)).replace(/\/$/, ''));
      if (files.length > 0) return files;
    }
  }
  return [];
};

// No list and no module that a person writes has more.
const MOST_OF_LIST = 200;
const DEEPEST_MODULE = 12;

/** `a::{b as x, c::{d}}` is `a::b` and `a::c::d`. */
function rustPaths(specifier: string): readonly string[] {
  const paths: string[] = [];
  const around: string[] = [];
  let prefix = '';
  let word = '';
  const end = () => {
    if (word !== '' && prefix.length + word.length <= LONGEST) paths.push(prefix + word);
    word = '';
  };
  for (const [part] of specifier.replaceAll(/\s+/g, ' ').matchAll(/[{},]|[^{},]+/g)) {
    if (paths.length === MOST_OF_LIST) return paths;
    if (part === '{') {
      around.push(prefix);
      prefix += word;
      word = '';
    } else if (part === ',') end();
    else if (part === '}') {
      end();
      prefix = around.pop() ?? '';
    } else word = part.replace(/ as .*$/, '').trim();
  }
  end();
  return paths;
}

const rust: Resolver = (specifier, from, tree) =>
  rustPaths(specifier).flatMap((path) => rustModule(path, from, tree));

const rustModule: Resolver = (specifier, from, tree) => {
  const folder = posix.dirname(from);
  const own = /\/?(?:mod|lib|main)\.rs$/.test(from) ? folder : from.replace(/\.rs$/, '');
  const words = specifier
    .split('::')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  let at = own;
  if (words[0] === 'crate') at = from.includes('src/') ? from.slice(0, from.lastIndexOf('src/') + 3) : folder;
  else if (words[0] === 'super') at = posix.dirname(own);
  else if (words[0] !== 'self' && words.length > 1) return [];
  const path = words.filter((word) => !['crate', 'super', 'self'].includes(word)).slice(0, DEEPEST_MODULE);
  for (let length = path.length; length > 0; length--) {
    const names = path.slice(0, length).join('/');
    const place = at === '.' ? names : `${at}/${names}`;
    const found = [`${place}.rs`, `${place}/mod.rs`].find((each) => tree.has(each));
    if (found !== undefined) return [found];
  }
  return [];
};

/** A name of a class, told by the folders above it. */
const bySuffix =
  (separator: RegExp, ending: string, isFolder = false): Resolver =>
  (specifier, _from, tree) => {
    const parts = specifier.split(separator).filter((part) => part !== '');
    const stem = parts.at(-1) ?? '';
    const candidates = tree.named(stem).filter((path) => path.endsWith(ending));
    const shared = candidates.map((path) => sharedEnd(path.slice(0, -ending.length).split('/'), parts));
    const most = shared.reduce((a, b) => Math.max(a, b), 0);
    const found = candidates.filter((_, at) => shared[at] === most);
    if (most >= 2 && found.length === 1) return found;
    return candidates.length === 1 && !isFolder ? candidates : [];
  };

/** How many parts are the same, from the end. */
function sharedEnd(some: readonly string[], others: readonly string[]): number {
  let count = 0;
  while (count < Math.min(some.length, others.length) && some.at(-1 - count) === others.at(-1 - count))
    count++;
  return count;
}

const include: Resolver = (specifier, from, tree) => {
  const beside = inside(posix.join(posix.dirname(from), specifier));
  if (beside !== undefined && tree.has(beside)) return [beside];
  const stem = posix.basename(specifier).replace(/\.[^.]*$/, '');
  const end = `/${posix.normalize(specifier)}`;
  const found = tree.named(stem).filter((path) => `/${path}`.endsWith(end));
  return found.length === 1 ? found : [];
};

const ruby: Resolver = (specifier, from, tree) => {
  const name = specifier.endsWith('.rb') ? specifier : `${specifier}.rb`;
  const places = [posix.join(posix.dirname(from), name), posix.join('lib', name), name];
  const found = places.find((place) => tree.has(place));
  if (found !== undefined) return [found];
  const libraries = tree.named(posix.basename(name, '.rb')).filter((path) => path.endsWith(`/lib/${name}`));
  return libraries.length === 1 ? libraries : [];
};

/** The folders of a class are its package; what a static import names stands in the class before it. */
const javaClass = bySuffix(/\./, '.java', true);
const java: Resolver = (specifier, from, tree) => {
  const found = javaClass(specifier, from, tree);
  return found.length > 0 ? found : javaClass(specifier.replace(/\.[^.]*$/, ''), from, tree);
};

const style: Resolver = (specifier, from, tree) => {
  const place = inside(posix.join(posix.dirname(from), specifier));
  return place !== undefined && tree.has(place) ? [place] : [];
};

/** What a script puts before a name is mostly its own folder, however that is spelt. */
const shell: Resolver = (specifier, from, tree) => {
  const plain = withoutFolder(specifier.replaceAll('\\', '/'));
  return plain.includes('$') ? [] : include(plain, from, tree);
};

/** Without a variable or the output of a command, whatever stands within its brackets, and the slash behind it. */
function withoutFolder(specifier: string): string {
  const [open = ''] = /^\$[({]/.exec(specifier) ?? [];
  if (open === '') return specifier.replace(/^\$\w+\//, '');
  let depth = 0;
  for (let at = 1; at < specifier.length; at++) {
    if ('({'.includes(specifier[at] ?? '')) depth++;
    if (')}'.includes(specifier[at] ?? '')) depth--;
    if (depth === 0) return specifier[at + 1] === '/' ? specifier.slice(at + 2) : specifier;
  }
  return specifier;
}

const phpClass = bySuffix(/\\/, '.php');
const php: Resolver = (specifier, from, tree) =>
  specifier.endsWith('.php')
    ? include(specifier.replace(/^\//, ''), from, tree)
    : phpClass(specifier, from, tree);

const RESOLVERS: Readonly<Record<string, Resolver>> = {
  typescript: script,
  tsx: script,
  javascript: script,
  python,
  go,
  rust,
  java,
  cpp: include,
  ruby,
  php,
  csharp: () => [],
  bash: shell,
  powershell: shell,
  css: style,
};

/** A normal path below the root, or undefined when it climbs out. */
function inside(path: string): string | undefined {
  const plain = posix.normalize(path);
  return plain === '..' || plain.startsWith('../') || plain.startsWith('/') ? undefined : plain;
}
