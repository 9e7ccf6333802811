import { type Git, splitNul } from './git.ts';
import { pathText } from './path-text.ts';
import type { TreeEntry } from './tree-entry.ts';

/** A symlink of a work tree, both names in their text form. */
export interface Link {
  readonly path: string;
  readonly target: string;
}

const LINK_MODE = '120000';
/** Names one file may have by links; a link to its own folder gives it ever more. */
const MAX_NAMES = 50;

/** The symlinks among entries, with what their objects say. One whose object is missing is left out. */
export async function readLinks(git: Git, entries: Iterable<TreeEntry>): Promise<Link[]> {
  const links = [...entries].filter((entry) => entry.mode === LINK_MODE);
  if (links.length === 0) return [];
  const input = Buffer.from(links.map((link) => `${link.oid}\n`).join(''));
  const { stdout } = await git.run(['cat-file', '--batch'], { input });
  const found: Link[] = [];
  let at = 0;
  for (const { path } of links) {
    const end = stdout.indexOf(10, at);
    const [, type = '', size = ''] = stdout.toString('latin1', at, end).split(' ');
    at = end + 1;
    if (type !== 'blob') continue;
    found.push({ path: pathText(path), target: pathText(stdout.subarray(at, at + Number(size))) });
    at += Number(size) + 1;
  }
  return found;
}

/** The entries of `ls-files -z --stage`. */
export function* parseIndex(output: Buffer): Generator<TreeEntry> {
  for (const field of splitNul(output)) {
    const tab = field.indexOf(9);
    const [mode = '', oid = ''] = field.toString('latin1', 0, tab).split(' ');
    yield { mode, oid, path: field.subarray(tab + 1) };
  }
}

/**
 * The path a link leads to, empty for the top; null when that is no file of the work tree, or cannot be
 * told from the names alone: after a folder, `..` leads where that folder really is.
 */
export function endOf({ path, target }: Link): string | null {
  if (target.startsWith('/')) return null;
  const steps = target.split('/').filter((step) => step !== '' && step !== '.');
  const down = steps.findIndex((step) => step !== '..');
  const climbs = down === -1 ? steps.length : down;
  const folder = path.split('/').slice(0, -1);
  if (climbs > folder.length || steps.lastIndexOf('..') >= climbs) return null;
  const end = [...folder.slice(0, folder.length - climbs), ...steps.slice(climbs)];
  return end.some((step) => step.toLowerCase() === '.git') ? null : end.join('/');
}

/** Gives for a path every name that it has by links, itself first. */
export function namesByLinks(links: readonly Link[]): (path: string) => string[] {
  const byEnd = new Map<string, string[]>();
  for (const link of links) {
    const end = endOf(link);
    if (end !== null) byEnd.set(end, [...(byEnd.get(end) ?? []), link.path]);
  }
  return (path) => {
    const names = new Set([path]);
    for (const name of names) {
      for (let end = name; ; end = end.slice(0, Math.max(end.lastIndexOf('/'), 0))) {
        const rest = name.slice(end.length).replace(/^\/?(?=.)/, '/');
        for (const link of byEnd.get(end) ?? []) if (names.size < MAX_NAMES) names.add(link + rest);
        if (end === '') break;
      }
    }
    return [...names];
  };
}
