import { splitNul } from './git.ts';
import { ID_LENGTH, type ObjectFormat } from './git-files.ts';

/** One path of a tree. `mode` is git's six octal digits. */
export interface TreeEntry {
  readonly mode: string;
  readonly oid: string;
  readonly path: Buffer;
}

/** One path that differs between two trees; null where the path does not exist. */
export interface TreeChange {
  readonly path: Buffer;
  readonly before: Omit<TreeEntry, 'path'> | null;
  readonly after: Omit<TreeEntry, 'path'> | null;
}

/** The entries of `ls-tree -r -z`. */
export function* parseTree(output: Buffer): Generator<TreeEntry> {
  for (const field of splitNul(output)) {
    const tab = field.indexOf(9);
    const [mode = '', , oid = ''] = field.toString('latin1', 0, tab).split(' ');
    yield { mode, oid, path: field.subarray(tab + 1) };
  }
}

/** The changes of `diff-tree -r -z --raw --no-renames`. */
export function parseRawDiff(output: Buffer): TreeChange[] {
  const fields = splitNul(output);
  const changes: TreeChange[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [oldMode = '', mode = '', oldOid = '', oid = ''] = (fields[i] ?? Buffer.alloc(0))
      .toString('latin1')
      .replace(/^:/, '')
      .split(' ');
    changes.push({
      path: fields[i + 1] ?? Buffer.alloc(0),
      before: oldMode === '000000' ? null : { mode: oldMode, oid: oldOid },
      after: mode === '000000' ? null : { mode, oid },
    });
  }
  return changes;
}

/** A path as a map key: one character a byte. */
export function pathKey(path: Buffer): string {
  return path.toString('latin1');
}

/**
 * Lines for `update-index -z --index-info` that make these paths be so. Removals come first: a file
 * may take the place of a directory.
 */
export function indexInfo(
  format: ObjectFormat,
  entries: Iterable<{ path: Buffer; entry: Omit<TreeEntry, 'path'> | null }>,
): Buffer {
  const removal = `0 ${'0'.repeat(ID_LENGTH[format])}\t`;
  const removals: Buffer[] = [];
  const additions: Buffer[] = [];
  for (const { path, entry } of entries) {
    const head = entry === null ? removal : `${entry.mode} ${entry.oid}\t`;
    (entry === null ? removals : additions).push(Buffer.from(head), path, Buffer.of(0));
  }
  return Buffer.concat([...removals, ...additions]);
}
