import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';

/**
 * Takes out of texts where on this machine a control plane lies: what callers from outside are told names its files from the served
 * directory, as `./…`, and scratch files by `…/` alone. The operator's log has the whole of it.
 */
export function withoutPlaces(root: string): (text: string) => string {
  const places: [string, string][] = [root, realpathSync(root)].map((path) => [path, '.']);
  places.push([tmpdir(), '…']);
  const literal = ([path]: [string, string]): string => path.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`(?<![\\w./-])(${places.map(literal).join('|')})(?![\\w.-])`, 'g');
  const instead = new Map(places);
  return (text) => text.replaceAll(pattern, (path) => instead.get(path) ?? path);
}
