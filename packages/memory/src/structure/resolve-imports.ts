import { posix } from 'node:path';
import type { ScriptAliases } from './script-aliases.ts';

/** What the import of a file is resolved against. */
export interface Tree {
  readonly has: (path: string) => boolean;
  /** Paths whose last part, without its ending, is this. */
  readonly named: (stem: string) => readonly string[];
  /** Go files of a folder, tests left out. */
  readonly goFiles: (folder: string) => readonly string[];
  /** Module path and folder of each `go.mod`, the deepest folder first. */
  readonly goModules: () => readonly { readonly module: string; readonly folder: string }[];
  readonly aliases: ScriptAliases;
  /** Folders that Python's absolute imports start in, the root first. */
  readonly pythonRoots: () => readonly string[];
}

type Resolver = (specifier: string, from: string, tree: Tree) => readonly string[];

/** The files of the tree that an import means; none of it when it is of a library. */
export function resolveImport(
  language: string,
  specifier: string,
  from: string,
  tree: Tree,
): readonly string[] {
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
      ? tree.pythonRoots()
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

const go: Resolver = (specifier, _from, tree) => {
  for (const { module, folder } of tree.goModules()) {
    if (specifier !== module && !specifier.startsWith(`${module}/`)) continue;
    const files = tree.goFiles(posix.join(folder, specifier.slice(module.length)).replace(/\/$/, ''));
    if (files.length > 0) return files;
  }
  return [];
};

/** No list that a person writes is longer. */
const LONGEST_GROUP = 4_000;

/** `a::{b, c::{d}}` is `a::b` and `a::c::d`. */
function rustPaths(specifier: string): readonly string[] {
  if (specifier.length > LONGEST_GROUP) return [];
  const open = specifier.indexOf('{');
  if (open === -1) return [specifier.replace(/\s+as\s.*$/s, '')];
  const parts: string[] = [];
  let depth = 0;
  let begin = open + 1;
  for (let at = begin; at < specifier.length; at++) {
    const sign = specifier[at];
    if (sign === '{') depth++;
    if ((sign === ',' || sign === '}') && depth === 0) {
      parts.push(specifier.slice(begin, at).trim());
      begin = at + 1;
    }
    if (sign === '}') depth--;
  }
  const prefix = specifier.slice(0, open);
  return parts.filter((part) => part !== '').flatMap((part) => rustPaths(prefix + part));
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
  const path = words.filter((word) => !['crate', 'super', 'self'].includes(word));
  for (let length = path.length; length > 0; length--) {
    const place = posix.join(at, ...path.slice(0, length));
    const found = [`${place}.rs`, posix.join(place, 'mod.rs')].find((each) => tree.has(each));
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
    for (let from = 0; from < parts.length - 1; from++) {
      const suffix = `/${parts.slice(from).join('/')}${ending}`;
      const found = candidates.filter((path) => `/${path}`.endsWith(suffix));
      if (found.length === 1) return found;
    }
    return candidates.length === 1 && !isFolder ? candidates : [];
  };

const include: Resolver = (specifier, from, tree) => {
  const beside = inside(posix.join(posix.dirname(from), specifier));
  if (beside !== undefined && tree.has(beside)) return [beside];
  const stem = posix.basename(specifier).replace(/\.[^.]*$/, '');
  const found = tree.named(stem).filter((path) => `/${path}`.endsWith(`/${posix.normalize(specifier)}`));
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
  const plain = specifier
    .replaceAll('\\', '/')
    .replace(/^\$(?:\w+|\{[^}]*\}|\((?:[^()]|\([^()]*\))*\))\//, '');
  return plain.includes('$') ? [] : include(plain, from, tree);
};

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
