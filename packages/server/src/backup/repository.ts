import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { faultPoint, PalisadeError } from '@palisade/contracts';
import { fsyncDirectory } from '@palisade/kernel';
import { type LockWish, withFileLock, withSharedLock } from '@palisade/process';
import { layoutOf } from '../layout.ts';
import { MARKER_BYTES, parseMarker } from './manifest.ts';
import { notWhole, readWhole, SNAPSHOT } from './snapshot-files.ts';

const LOCK = '.lock';
const STAGING = '.staging';
const SNAPSHOTS = 'snapshots';
const PARTIAL = '.partial';
const NAME = /^\d{8}T\d{6}Z-snp_[0-9a-f]{32}$/;

/** Of how many hours and days, with a snapshot, the newest is kept (AO-191). */
const KEPT_HOURS = 24;
const KEPT_DAYS = 30;
const HOUR_MS = 3_600_000;

const wish = (signal: AbortSignal | undefined): LockWish => ({
  busy: 'another backup is made or removed in this repository',
  ...(signal && { signal }),
});

/** Where snapshots are kept (AO-184). */
export interface Repository {
  readonly directory: string;
  /** Takes part under way, which nobody takes for a snapshot. */
  readonly staging: string;
  readonly snapshots: string;
}

/**
 * Opens a repository for a new snapshot, made where nothing is (mode 0700). Raises `unsafe_path` for a link, and for one that lies in the
 * control plane or the other way round; `invalid_input` for a directory with other things; `policy_denied` when it is somebody else's, or others may enter it.
 */
export async function openRepository(path: string, home: string): Promise<Repository> {
  const directory = resolve(path);
  await assertApart(directory, home);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const facts = await lstat(directory);
  if (!facts.isDirectory())
    throw new PalisadeError('unsafe_path', `${directory} is a link`, { next: 'name the directory itself' });
  if (facts.uid !== (process.getuid?.() ?? facts.uid))
    throw new PalisadeError('policy_denied', `${directory} belongs to another user of this machine`, {
      why: 'snapshots hold everything but the keys',
      next: 'name a directory of your own',
    });
  if (process.platform !== 'win32' && (facts.mode & 0o077) !== 0)
    throw new PalisadeError('policy_denied', `others may enter ${directory}`, {
      why: 'snapshots hold everything but the keys',
      next: `chmod 700 '${directory}'`,
    });
  for (const name of await readdir(directory)) {
    if ([LOCK, STAGING, SNAPSHOTS].includes(name)) continue;
    throw new PalisadeError('invalid_input', `${directory} holds other things than snapshots: ${name}`, {
      next: 'name a new or an empty directory',
    });
  }
  const staging = join(directory, STAGING);
  const snapshots = join(directory, SNAPSHOTS);
  for (const each of [staging, snapshots]) {
    await mkdir(each, { recursive: true, mode: 0o700 });
    if (!(await lstat(each)).isDirectory())
      throw new PalisadeError('unsafe_path', `${each} is a link`, { next: 'remove it' });
  }
  await fsyncDirectory(directory);
  await fsyncDirectory(dirname(directory));
  return { directory, staging, snapshots };
}

/** Runs `body` while nobody else makes, removes, verifies or restores a snapshot of the repository. Raises `lease_held`. */
export function whileAlone<T>(
  { directory }: Repository,
  signal: AbortSignal | undefined,
  body: () => Promise<T>,
): Promise<T> {
  return withFileLock(join(directory, LOCK), wish(signal), body);
}

/** Runs `body` while a snapshot stays what it is: in a repository nothing is removed meanwhile. A copy elsewhere has no lock. */
export function whileKept<T>(
  snapshot: string,
  signal: AbortSignal | undefined,
  body: () => Promise<T>,
): Promise<T> {
  const parent = dirname(resolve(snapshot));
  const lock = join(dirname(parent), LOCK);
  if (basename(parent) !== SNAPSHOTS || !existsSync(lock)) return body();
  return withSharedLock(lock, wish(signal), body);
}

/** The name of a snapshot's directory: names sort by time. */
export function snapshotName(createdAt: number, id: string): string {
  const time = new Date(createdAt).toISOString().replace(/[-:]|\.\d{3}/g, '');
  return `${time}-${id}`;
}

/** A new directory for a snapshot that is being made. */
export async function beginPartial({ staging }: Repository, name: string): Promise<string> {
  const partial = join(staging, `${name}${PARTIAL}`);
  await mkdir(partial, { mode: 0o700 });
  return partial;
}

/** Removes what was under way when its process died. Only for who is alone. */
export async function removeLeftovers({ staging }: Repository): Promise<void> {
  for (const name of await readdir(staging))
    if (name.endsWith(PARTIAL)) await rm(join(staging, name), { recursive: true, force: true });
}

/** Makes a whole partial a snapshot, in one step. */
export async function publish(repository: Repository, partial: string, name: string): Promise<string> {
  const path = join(repository.snapshots, name);
  if (existsSync(path)) throw new PalisadeError('already_exists', `there is a snapshot ${name} already`);
  await rename(partial, path);
  await fsyncDirectory(repository.snapshots);
  await fsyncDirectory(repository.staging);
  return path;
}

/**
 * Removes what is not kept (AO-191): kept is the newest snapshot of each of the last 24 hours, and of each of the last 30 days, that there
 * are snapshots of, and the one named. Nothing is removed where the marker of any is damaged.
 */
export async function prune(
  repository: Repository,
  newest: string,
): Promise<{ readonly kept: number; readonly removed: number }> {
  const found: { readonly name: string; readonly at: number }[] = [];
  for (const name of (await readdir(repository.snapshots)).filter((each) => NAME.test(each))) {
    const path = join(repository.snapshots, name, SNAPSHOT.complete);
    const marker = parseMarker(await readWhole(path, MARKER_BYTES));
    if (marker === undefined || snapshotName(marker.created_at, marker.snapshot_id) !== name)
      throw notWhole(path, 'its marker does not fit');
    found.push({ name, at: marker.created_at });
  }
  const kept = keptOf(found).add(newest);
  let removed = 0;
  for (const { name } of found) {
    if (kept.has(name)) continue;
    // Out of sight in one step: half of a snapshot must not look like one.
    const partial = join(repository.staging, `${name}${PARTIAL}`);
    await rename(join(repository.snapshots, name), partial);
    faultPoint('backup.in-retention');
    await rm(partial, { recursive: true });
    removed++;
  }
  return { kept: found.length - removed, removed };
}

function keptOf(found: readonly { readonly name: string; readonly at: number }[]): Set<string> {
  const newestFirst = found.toSorted((a, b) => b.at - a.at || (a.name < b.name ? 1 : -1));
  const kept = new Set<string>();
  for (const [periodMs, count] of [
    [HOUR_MS, KEPT_HOURS],
    [24 * HOUR_MS, KEPT_DAYS],
  ] as const) {
    const seen = new Set<number>();
    for (const { name, at } of newestFirst) {
      const period = Math.floor(at / periodMs);
      if (seen.has(period)) continue;
      if (seen.size === count) break;
      seen.add(period);
      kept.add(name);
    }
  }
  return kept;
}

/** Raises `unsafe_path` when one of two places lies in the other, whatever links lead there. */
export async function assertApart(path: string, other: string): Promise<void> {
  const [one, two] = await Promise.all([realPlace(path), realPlace(other)]);
  if (!isWithin(one, two) && !isWithin(two, one)) return;
  throw new PalisadeError('unsafe_path', `${path} and ${other} lie in one another`, {
    next: 'choose a directory elsewhere',
  });
}

/** Raises `unsafe_path` for a place below the directory of some control plane, whatever links lead there. */
export async function assertOutside(path: string): Promise<void> {
  for (let at = dirname(await realPlace(path)); at !== dirname(at); at = dirname(at)) {
    const { database, signerKey } = layoutOf(dirname(at));
    const names = new Set(await readdir(at).catch(() => []));
    const isHome = names.has(basename(database)) || (names.has(basename(signerKey)) && names.has('planes'));
    if (!isHome && basename(at) !== basename(dirname(database))) continue;
    throw new PalisadeError('unsafe_path', `${path} lies in ${at}, the directory of a control plane`, {
      next: 'choose a directory elsewhere',
    });
  }
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : `${directory}${sep}`);
}

/** Where a path leads, the part of it that exists followed. */
async function realPlace(path: string): Promise<string> {
  const absolute = resolve(path);
  try {
    return await realpath(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(await realPlace(parent), basename(absolute));
  }
}
