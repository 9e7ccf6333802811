import { posix } from 'node:path';
import { nearest, PalisadeError } from '@palisade/contracts';
import type { Memory } from '../open-memory.ts';

/** `not_found` for a path that neither the index nor the disk knows, with the known path that is nearest to it. */
export function noSuchFile({ tracked, changes, isIndexed }: Memory, path: string): PalisadeError {
  const paths = [...tracked.keys(), ...changes.flatMap((each) => (each.isGone ? [] : [each.path]))];
  const meant = nearestPath(path, paths);
  const hint = meant === undefined ? '' : ` (did you mean "${meant}"?)`;
  return new PalisadeError('not_found', `${path} is neither on disk nor in the index${hint}`, {
    next:
      meant !== undefined
        ? `name ${meant}, if that is meant`
        : isIndexed
          ? 'git ls-files names the files that are here'
          : 'pal repo index',
  });
}

/** One of the same name, one of the same folder, or one whose name is nearly the same. */
function nearestPath(path: string, paths: readonly string[]): string | undefined {
  const name = posix.basename(path);
  const folder = posix.dirname(path);
  const within = paths.filter((each) => posix.dirname(each) === folder);
  const alike = new Map(
    paths.flatMap((each) =>
      posix.extname(each) === posix.extname(name) ? [[posix.basename(each), each]] : [],
    ),
  );
  return (
    paths.find((each) => posix.basename(each) === name) ??
    nearest(path, within) ??
    alike.get(nearest(name, alike.keys()) ?? '')
  );
}
