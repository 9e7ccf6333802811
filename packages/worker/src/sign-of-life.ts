import { existsSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { ATTEMPT_FILES } from '@palisade/contracts';

const BEAT_MS = 1_000;

/**
 * Shows that this worker lives, also to engines that cannot see its process, by the age of its claim;
 * and hears from them: `onStop` is called when one asks the worker to stop, or when the claim is gone,
 * because the attempt was given up and its directory removed.
 */
export function showLife(attemptDir: string, onStop: () => void): void {
  const claim = join(attemptDir, ATTEMPT_FILES.claim);
  const stop = join(attemptDir, ATTEMPT_FILES.stop);
  const beat = (): void => {
    if (existsSync(stop)) return onStop();
    const now = new Date();
    try {
      utimesSync(claim, now, now);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') onStop();
    }
  };
  setInterval(beat, BEAT_MS).unref();
}
