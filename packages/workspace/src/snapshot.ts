import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isPalisadeError, PalisadeError } from '@palisade/contracts';
import { copyIndex } from './copy-index.ts';
import { type Git, joinNul } from './git.ts';
import { assertNoTraps } from './git-traps.ts';
import { openUnreadable } from './open-unreadable.ts';
import { scanWorkTree, type ScanOptions } from './work-tree-scan.ts';

/** The files of a work tree as a tree object. */
export interface Snapshot {
  readonly tree: string;
  /** Index of the snapshot; the caller moves or removes it. */
  readonly indexFile: string;
  readonly warnings: readonly string[];
}

export interface SnapshotOptions extends ScanOptions {
  /** Index to start from: its paths stay tracked even when an ignore rule names them. */
  readonly seedIndex: string;
  /** The tree that this index holds: the answer where nothing differs from it. */
  readonly seedTree: string | null;
  /** Most bytes of changed files that are read. */
  readonly maxBytes: number;
}

let serial = 0;

/**
 * Writes the work tree as a tree object into our own store. The index's stat data spares reading
 * what did not change; an agent cannot forge it, because the change time cannot be set back.
 */
export async function snapshot(git: Git, options: SnapshotOptions): Promise<Snapshot> {
  const indexFile = join(git.scope.gitDir ?? '', `snapshot-${process.pid}-${serial++}.index`);
  try {
    await copyIndex(options.seedIndex, indexFile);
    const own = git.with({ indexFile });
    await assertNoTraps(own.scope.cwd, own.scope.budget);
    const scan = await scanWorkTree(own, options);
    if (scan.bytes > options.maxBytes)
      throw new PalisadeError(
        'capture_failed',
        `the changed files hold ${scan.bytes} bytes, more than ${options.maxBytes}`,
        { next: 'leave big results under outputs/ or ignore them with .gitignore' },
      );
    if (scan.absent.length > 0)
      await own.run(['update-index', '--force-remove', '-z', '--stdin'], { input: joinNul(scan.absent) });
    if (scan.present.length > 0) await addFiles(own, scan.present);
    const isSame = scan.absent.length === 0 && scan.present.length === 0;
    const tree = isSame && options.seedTree !== null ? options.seedTree : await own.text(['write-tree']);
    return { tree, indexFile, warnings: scan.warnings };
  } catch (error) {
    await rm(indexFile, { force: true });
    throw error;
  }
}

async function addFiles(git: Git, paths: readonly Buffer[]): Promise<void> {
  const add = () =>
    git.run(['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], { input: joinNul(paths) });
  try {
    await add();
  } catch (error) {
    if (!isPalisadeError(error, 'capture_failed') || !/Permission denied/.test(error.why ?? '')) throw error;
    await openUnreadable(git.scope.cwd, git.scope.budget);
    await add();
  }
}
