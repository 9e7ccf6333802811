import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { PalisadeError } from '@palisade/contracts';

/** How often the free space of the volume is looked at. */
const LOOK_MS = 500;
/** How long measuring a directory may take. */
const MEASURE_MS = 60_000;
const PATH = '/usr/local/bin:/usr/bin:/bin';

export interface DiskLimits {
  readonly bytes: number;
  readonly files: number;
}

/** What a directory holds, or what a volume has left. */
interface Amount {
  readonly bytes: number;
  readonly files: number;
}

/**
 * Ends an attempt that fills the disk. The kernel limits one file of a program and not all of them
 * together, so the volume is watched: only when it lost as much as the attempt may have is the attempt measured, so
 * that a big workspace costs nothing. What hides from the measuring (a directory closed to its owner) while that much
 * is gone counts as too much. Between two looks an agent can overshoot by what it writes in half a second.
 *
 * @param directory of the attempt: workspace, temporary files and whatever else its programs may write
 * @param onExceeded gets the `too_large` to end the attempt with; called once
 * @returns ends the watch
 */
export function guardDisk(
  directory: string,
  limits: DiskLimits,
  onExceeded: (error: PalisadeError) => void,
): () => void {
  let from: Amount | null = null;
  const over = new AbortController();
  const look = async (): Promise<void> => {
    const free = await freeOn(directory);
    from ??= free;
    const lost = { bytes: from.bytes - free.bytes, files: from.files - free.files };
    if (lost.bytes < limits.bytes && lost.files < limits.files) return;
    const own = await measure(directory);
    const what = own === null ? 'space' : exceeded(own, limits);
    if (own === null || what !== null) {
      over.abort();
      onExceeded(tooMuch(what ?? 'space', limits));
      return;
    }
    // Others took it. The next look is due when the rest of the allowance is gone.
    from = { bytes: free.bytes + own.bytes, files: free.files + own.files };
  };
  const watch = async (): Promise<void> => {
    while (!over.signal.aborted) {
      // A volume that cannot be asked is somebody else's trouble to tell.
      await look().catch(() => undefined);
      await delay(LOOK_MS, undefined, { ref: false });
    }
  };
  void watch();
  return () => over.abort();
}

function exceeded(own: Amount, limits: DiskLimits): 'space' | 'files' | null {
  if (own.bytes > limits.bytes) return 'space';
  return own.files > limits.files ? 'files' : null;
}

function tooMuch(what: 'space' | 'files', limits: DiskLimits): PalisadeError {
  return new PalisadeError(
    'too_large',
    what === 'space'
      ? `the attempt filled more than ${Math.floor(limits.bytes / 2 ** 20)} MiB of the disk (sandbox.disk_mb)`
      : `the attempt made more than ${limits.files} files (sandbox.files)`,
  );
}

async function freeOn(directory: string): Promise<Amount> {
  const { bfree, bsize, ffree, files } = await statfs(directory);
  // A file system that makes places for files as it goes tells no number of them.
  return { bytes: bfree * bsize, files: files === 0 ? 0 : ffree };
}

/** What is in a directory, by `du`, which a deep path does not stop. Null when some of it cannot be seen. */
async function measure(directory: string): Promise<Amount | null> {
  const bytes = await du(['--block-size=1'], directory);
  const files = await du(['--inodes'], directory);
  return bytes === null || files === null ? null : { bytes, files };
}

function du(options: readonly string[], directory: string): Promise<number | null> {
  return new Promise((resolve) => {
    execFile(
      'du',
      ['--summarize', '--one-file-system', ...options, '--', directory],
      { env: { PATH, LC_ALL: 'C' }, timeout: MEASURE_MS },
      (error, stdout, stderr) => {
        const [, amount] = /^(\d+)\t/.exec(stdout) ?? [];
        // Files that vanish while it looks are no trouble.
        const isBlind =
          error !== null && stderr.replaceAll(/^du: .*No such file or directory\n/gm, '') !== '';
        resolve(amount === undefined || isBlind ? null : Number(amount));
      },
    );
  });
}
