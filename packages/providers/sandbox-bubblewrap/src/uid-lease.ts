import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import { makeOpenDirectory } from './open-path.ts';

/*
 * When the supervisor is root, every running attempt gets a user id that nothing else uses, so that
 * attempts cannot signal, trace or read each other. An id is taken by creating a file with O_EXCL
 * in a directory only root may write, and given back by removing it; the file names its attempt,
 * so that the id of a crashed supervisor is given back when the attempt is reaped. The directory
 * lives under /run and is therefore empty after a boot, when no id can be in use.
 */

const DIRECTORIES = ['/run/palisade/sandbox-uids', '/var/tmp/palisade-sandbox-uids'];
const COUNT = 8192;

export interface UidLease {
  readonly uid: number;
  release(): void;
}

/** Takes a user id for the attempt. Throws `requirements_unmet` when none is free or there is no safe place to note it. */
export function leaseUid(attemptId: string): UidLease {
  const directory = leaseDirectory();
  const first = firstUid();
  const start = createHash('sha256').update(attemptId).digest().readUInt32BE(0) % COUNT;
  for (let step = 0; step < COUNT; step++) {
    const uid = first + ((start + step) % COUNT);
    const file = join(directory, String(uid));
    try {
      writeFileSync(file, attemptId, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') continue;
      throw new PalisadeError('provider_failed', 'a sandbox user id could not be noted', { cause: error });
    }
    return { uid, release: () => rmSync(file, { force: true }) };
  }
  throw new PalisadeError('requirements_unmet', `all ${COUNT} sandbox user ids are taken`, {
    next: `end crashed attempts so that they are reaped, or remove stale files in ${directory}`,
  });
}

/** Gives back what a crashed supervisor took for the attempt. Its processes must be dead already. */
export function releaseUidsOf(attemptId: string): void {
  const directory = leaseDirectory();
  for (const name of readdirSync(directory)) {
    const file = join(directory, name);
    try {
      if (readFileSync(file, 'utf8') === attemptId) rmSync(file, { force: true });
    } catch {
      // Given back by its owner in between.
    }
  }
}

function leaseDirectory(): string {
  for (const directory of DIRECTORIES) {
    try {
      makeOpenDirectory(dirname(directory));
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const facts = lstatSync(directory);
      if (facts.isDirectory() && facts.uid === 0 && (facts.mode & 0o022) === 0) return directory;
    } catch {
      // Not writable here; the next place may be.
    }
  }
  throw new PalisadeError('requirements_unmet', 'no directory for sandbox user ids can be made', {
    next: `make ${DIRECTORIES[0]} a directory that belongs to root`,
  });
}

/** A range far from people and services where the whole id space is ours, else one inside a container's 65536 ids. */
function firstUid(): number {
  const [, , count] = readFileSync('/proc/self/uid_map', 'utf8').trim().split(/\s+/);
  return Number(count) > 2_000_000_000 ? 1_900_000_000 : 50_000;
}
