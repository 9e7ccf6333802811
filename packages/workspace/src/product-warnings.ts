import { type Git, splitNul } from './git.ts';
import { endOf, type Link, namesByLinks, readLinks } from './links.ts';
import { pathText } from './path-text.ts';
import type { PatchFile } from './patch-file.ts';
import { runsByItself } from './self-running.ts';
import { parseTree } from './tree-entry.ts';

/** What a reviewer must see about a product besides its lines. */
export async function productWarnings(
  git: Git,
  tree: string,
  files: readonly PatchFile[],
  executablePaths: readonly string[],
): Promise<string[]> {
  const { stdout } = await git.run(['ls-tree', '-r', '-z', '--full-tree', tree]);
  const links = await readLinks(git, parseTree(stdout));
  return [
    ...executableWarnings(files, executablePaths, links),
    ...linkWarnings(files, links),
    ...(await caseCollisions(git, tree, files)),
    ...submoduleWarnings(files),
  ];
}

/**
 * Sentences for paths that run by themselves once they are in somebody's checkout, also by a name that
 * one of its links gives them.
 */
export function executableWarnings(
  files: readonly PatchFile[],
  executablePaths: readonly string[],
  links: readonly Link[],
): string[] {
  const namesOf = namesByLinks(links);
  return files
    .filter((file) => file.status !== 'D')
    .flatMap((file) => {
      const names = namesOf(file.path);
      const configured = executablePaths.find((path) =>
        names.some(
          (name) =>
            name === path ||
            name.startsWith(`${path}/`) ||
            (file.newMode === '120000' && path.startsWith(`${name}/`)),
        ),
      );
      if (configured !== undefined)
        return [`${file.path} is run by this repository's git configuration (${configured})`];
      const name = names.find(runsByItself);
      if (name === undefined) return [];
      const by = name === file.path ? '' : `, as ${name}`;
      return [`${file.path} is configuration that can run programs${by}`];
    });
}

/** Sentences for links of the product to what is no file of the repository. */
export function linkWarnings(files: readonly PatchFile[], links: readonly Link[]): string[] {
  const changed = new Set(files.map((file) => file.path));
  return links
    .filter((link) => changed.has(link.path) && endOf(link) === null)
    .map(
      ({ path, target }) => `${path} is a link to ${target.slice(0, 200)}, outside of the repository's files`,
    );
}

function submoduleWarnings(files: readonly PatchFile[]): string[] {
  return files
    .filter((file) => file.oldMode === '160000' || file.newMode === '160000')
    .map((file) => `${file.path} is a submodule and was removed or replaced`);
}

/** Names the product adds that some file systems cannot hold beside others (FF-008). */
async function caseCollisions(git: Git, tree: string, files: readonly PatchFile[]): Promise<string[]> {
  const added = files.filter((file) => file.status === 'A');
  if (added.length === 0) return [];
  const { stdout } = await git.run(['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree]);
  return collidingNames(
    splitNul(stdout).map((path) => pathText(path)),
    added.map((file) => file.path),
  ).map(([a, b]) => `${a} and ${b} differ only in case or accents and cannot exist together on some systems`);
}

/** Pairs among `all` (files and their folders) that fold to one name and of which one lies on an added path. */
export function collidingNames(all: readonly string[], added: readonly string[]): [string, string][] {
  const addedParts = new Set(added.flatMap(withFolders));
  const byFold = new Map<string, Set<string>>();
  for (const part of new Set(all.flatMap(withFolders))) {
    const fold = foldName(part);
    const group = byFold.get(fold);
    if (group === undefined) byFold.set(fold, new Set([part]));
    else group.add(part);
  }
  const pairs: [string, string][] = [];
  for (const group of byFold.values()) {
    const [first, ...others] = [...group].sort();
    if (first === undefined) continue;
    for (const other of others)
      if (addedParts.has(first) || addedParts.has(other)) pairs.push([first, other]);
  }
  return pairs;
}

/** The name as a case-folding, normalising file system compares it. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** `a/b/c` as `a`, `a/b`, `a/b/c`. */
function withFolders(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
