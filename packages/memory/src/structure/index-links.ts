import { posix } from 'node:path';
import type { Repository } from '../repository/repository.ts';
import type { MemoryDatabase } from '../store/memory-database.ts';
import { contentOf } from '../repository/file-content.ts';
import type { TreeChange } from './index-tree.ts';
import { MOST_BYTES } from './parse.ts';
import { resolveImport, type Tree } from './resolve-imports.ts';
import { ScriptAliases } from './script-aliases.ts';
import { isTestFile } from './test-file.ts';

interface SourceRow {
  readonly [column: string]: string | number;
  readonly path: string;
  readonly language: string;
  readonly imports: string;
}

/** Files whose content decides what imports of others mean. */
const CONFIG = /(?:^|\/)(?:[tj]sconfig[^/]*\.json|go\.mod)$/;

/** Resolves the imports of what has changed, of everything when any import may mean another file. Within a transaction. */
export function indexLinks(repository: Repository, database: MemoryDatabase, change: TreeChange): void {
  const isAll = change.isReshaped || [...change.changed].some((path) => CONFIG.test(path));
  if (!isAll && change.changed.size === 0) return;
  const tree = treeOf(repository, change.paths);
  if (isAll) database.run('DELETE FROM links');
  const sources = isAll
    ? database.all<SourceRow>(`${SOURCES} ORDER BY path`)
    : [...change.changed].flatMap((path) => {
        database.run('DELETE FROM links WHERE source = ?', path);
        return database.all<SourceRow>(`${SOURCES} WHERE path = ?`, path);
      });
  for (const { path, language, imports } of sources)
    for (const specifier of JSON.parse(imports) as string[])
      for (const target of resolveImport(language, specifier, path, tree))
        database.run('INSERT OR IGNORE INTO links (source, target) VALUES (?, ?)', path, target);
}

const SOURCES = 'SELECT path, language, imports FROM tree JOIN structures ON structures.id = structure';

/** What few languages ask for is made when it is asked for. */
function treeOf(repository: Repository, paths: ReadonlySet<string>): Tree {
  const byStem = once(() => Map.groupBy(paths, (path) => posix.basename(path).replace(/\.[^.]*$/, '')));
  const goFolders = once(() =>
    Map.groupBy(
      [...paths].filter((path) => path.endsWith('.go') && !isTestFile(path)),
      (path) => posix.dirname(path),
    ),
  );
  const read = (path: string) =>
    paths.has(path) ? contentOf(repository, path, MOST_BYTES)?.toString('utf8') : undefined;
  return {
    has: (path) => paths.has(path),
    named: (stem) => byStem().get(stem) ?? [],
    goFiles: (folder) => goFolders().get(folder === '' ? '.' : folder) ?? [],
    goModules: once(() =>
      [...paths]
        .filter((path) => posix.basename(path) === 'go.mod')
        .flatMap((path) => {
          const module = /^\s*module\s+"?([^\s"]+)/m.exec(read(path) ?? '')?.[1];
          return module === undefined ? [] : [{ module, folder: posix.dirname(path) }];
        })
        .toSorted((a, b) => b.module.length - a.module.length),
    ),
    aliases: new ScriptAliases(read),
    pythonRoots: once(() => [...pythonRoots(paths)]),
  };
}

function pythonRoots(paths: ReadonlySet<string>): ReadonlySet<string> {
  const roots = new Set(['.']);
  for (const path of paths) {
    if (!path.endsWith('.py')) continue;
    const at = `/${path}`.lastIndexOf('/src/');
    if (at !== -1) roots.add(`/${path}`.slice(1, at + 4));
  }
  return roots;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
