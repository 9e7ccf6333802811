import { posix } from 'node:path';
import type { Repository } from '../repository/repository.ts';
import type { MemoryDatabase } from '../store/memory-database.ts';
import { contentOf } from '../repository/file-content.ts';
import type { TreeChange } from './index-tree.ts';
import { MOST_BYTES } from './parse.ts';
import { resolveImport, type Tree } from './resolve-imports.ts';
import { ScriptAliases } from './script-aliases.ts';
import { pauses } from './pauses.ts';
import { isTestFile } from './test-file.ts';

/** Files whose content decides what imports of others mean. */
const CONFIG = /(?:^|\/)(?:[tj]sconfig[^/]*\.json|go\.mod)$/;

/** An import of a Go package leads to so many of its files, the first by name. */
const MOST_OF_PACKAGE = 50;
/** One file leads to so many others at the most. */
const MOST_OF_FILE = 1_000;
/** Of more files of one name none is told by it. */
const MOST_NAMED = 1_000;
/** Places that one name of a module or a package is looked for in. */
const MOST_ROOTS = 100;

/**
 * Resolves the imports of what has changed, of everything when any import may mean another file. Within a transaction. Errors: those
 * of the budget.
 */
export async function indexLinks(
  repository: Repository,
  database: MemoryDatabase,
  change: TreeChange,
): Promise<void> {
  const isAll = change.isReshaped || [...change.changed].some((path) => CONFIG.test(path));
  if (!isAll && change.changed.size === 0) return;
  const tree = treeOf(repository, change.paths);
  if (isAll) database.run('DELETE FROM links');
  const sources = isAll
    ? database
        .all<{ path: string }>('SELECT path FROM tree WHERE structure IS NOT NULL ORDER BY path')
        .map(({ path }) => path)
    : change.changed;
  const pause = pauses(repository.git.scope.budget);
  for (const path of sources) {
    if (!isAll) database.run('DELETE FROM links WHERE source = ?', path);
    // One at a time: together they may be as large as the tree.
    const source = database.get<{ language: string; imports: string }>(
      'SELECT language, imports FROM tree JOIN structures ON structures.id = structure WHERE path = ?',
      path,
    );
    if (source === undefined) continue;
    const targets = new Set<string>();
    for (const specifier of JSON.parse(source.imports) as string[]) {
      await pause();
      for (const target of resolveImport(source.language, specifier, path, tree))
        if (targets.size < MOST_OF_FILE) targets.add(target);
      if (targets.size === MOST_OF_FILE) break;
    }
    for (const target of targets)
      database.run('INSERT OR IGNORE INTO links (source, target) VALUES (?, ?)', path, target);
  }
}

/** What few languages ask for is made when it is asked for. */
function treeOf(repository: Repository, paths: ReadonlySet<string>): Tree {
  const byStem = once(() => Map.groupBy(paths, (path) => posix.basename(path).replace(/\.[^.]*$/, '')));
  const goFolders = once(() => {
    const files = [...paths].filter((path) => path.endsWith('.go') && !isTestFile(path)).toSorted();
    return Map.groupBy(files, (path) => posix.dirname(path));
  });
  const read = (path: string) =>
    paths.has(path) ? contentOf(repository, path, MOST_BYTES)?.toString('utf8') : undefined;
  const goModules = once(() =>
    Map.groupBy(
      [...paths].filter((path) => posix.basename(path) === 'go.mod').toSorted(),
      (path) => /^[ \t]*module[ \t]+"?([^\s"]+)/m.exec(read(path) ?? '')?.[1] ?? '',
    ),
  );
  const pythonRoots = once(() => pythonRootsOf(paths));
  return {
    has: (path) => paths.has(path),
    named: (stem) => {
      const named = byStem().get(stem) ?? [];
      return named.length > MOST_NAMED ? [] : named;
    },
    goFiles: (folder) => (goFolders().get(folder === '' ? '.' : folder) ?? []).slice(0, MOST_OF_PACKAGE),
    goModules: (name) =>
      (goModules().get(name) ?? []).slice(0, MOST_ROOTS).map((path) => posix.dirname(path)),
    aliases: new ScriptAliases(read),
    pythonRoots: (name) => [...(pythonRoots().get(name) ?? [])].slice(0, MOST_ROOTS),
  };
}

/** By the names that a root has at its top: the root of the tree, and folders called `src`. */
function pythonRootsOf(paths: ReadonlySet<string>): ReadonlyMap<string, ReadonlySet<string>> {
  const roots = new Map<string, Set<string>>();
  const add = (root: string, within: string) => {
    const [name = ''] = /^[^/.]*/.exec(within) ?? [];
    roots.set(name, (roots.get(name) ?? new Set()).add(root));
  };
  const files = [...paths].filter((path) => path.endsWith('.py') || path.endsWith('.pyi')).toSorted();
  for (const path of files) add('.', path);
  for (const path of files) {
    const at = `/${path}`.lastIndexOf('/src/');
    if (at !== -1) add(path.slice(0, at + 3), path.slice(at + 4));
  }
  return roots;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
