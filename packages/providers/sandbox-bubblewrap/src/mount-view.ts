import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { LAUNCHER_ENV } from './find-bubblewrap.ts';
import { makeOpenDirectory, writeOpenFile } from './open-path.ts';
import { type Bind, isBelow } from './system-view.ts';

/** Where hidden paths are bound, inside a mount namespace of ours only. On the host it holds empty places. */
const PLACES = '/run/palisade/view';

// Binds, says so, and keeps the namespace until its input ends, as it does when the supervisor dies.
const KEEP = 'mount --all --fstab "$1" && echo && exec cat';

/**
 * Shows paths that only root may reach where another user can reach them, in a mount namespace that lives
 * as long as this object or, if that is shorter, as the supervisor: no mount is ever visible on the host or can be
 * left behind. Programs are started in it by `nsenter`.
 */
export class MountView {
  readonly #places: ReadonlyMap<string, string>;
  readonly #keeper: ChildProcess;

  private constructor(places: ReadonlyMap<string, string>, keeper: ChildProcess) {
    this.#places = places;
    this.#keeper = keeper;
  }

  /** The view of these sources, or null when none of them is hidden. `listFile` is for the list of binds. */
  static async open(sources: readonly string[], listFile: string): Promise<MountView | null> {
    const hidden = [...new Set(sources.filter(isHidden))];
    if (hidden.length === 0) return null;
    const places = new Map(hidden.map((path, index) => [path, makePlace(path, index)]));
    const list = [...places].map(([path, place]) => `${escape(path)} ${place} none bind 0 0\n`);
    writeFileSync(listFile, list.join(''), { mode: 0o600 });
    const keeper = spawn(
      'unshare',
      ['--mount', '--propagation', 'private', '--', 'sh', '-c', KEEP, 'sh', listFile],
      { stdio: ['pipe', 'pipe', 'ignore'], env: LAUNCHER_ENV, cwd: '/' },
    );
    keeper.on('error', () => {});
    keeper.stdin.on('error', () => {});
    // Its life hangs on ours, not the other way round.
    keeper.unref();
    await Promise.race([once(keeper.stdout, 'data'), once(keeper, 'close')]);
    keeper.stdout.destroy();
    return new MountView(places, keeper);
  }

  /** False when the namespace could not be made, is gone, or lacks one of these sources that is hidden by now. */
  shows(sources: readonly string[]): boolean {
    const { pid, exitCode, signalCode } = this.#keeper;
    if (pid === undefined || exitCode !== null || signalCode !== null) return false;
    return sources.every((path) => this.#places.has(path) || !isHidden(path));
  }

  /** The words that start the rest in this view, as another user. */
  words(uid: number): readonly string[] {
    return [
      'nsenter',
      `--mount=/proc/${this.#keeper.pid}/ns/mnt`,
      '--setgid',
      `${uid}`,
      '--setuid',
      `${uid}`,
      '--',
    ];
  }

  /** A bind with the source at which that user finds it. */
  reach(bind: Bind): Bind {
    const hidden = [...this.#places].find(([path]) => isBelow(bind.source, path));
    if (hidden === undefined) return bind;
    const [path, place] = hidden;
    return { ...bind, source: `${place}${bind.source.slice(path.length)}` };
  }

  close(): void {
    this.#keeper.stdin?.destroy();
  }
}

/** An empty directory or file to bind a path of that kind on. It stays, and the next sandbox uses it again. */
function makePlace(path: string, index: number): string {
  const isDirectory = statSync(path).isDirectory();
  const place = `${PLACES}/${isDirectory ? 'd' : 'f'}${index}`;
  makeOpenDirectory(isDirectory ? place : PLACES);
  if (!isDirectory) writeOpenFile(place, '');
  return place;
}

/** A path as fstab(5) takes it: what separates fields and lines is written in octal. */
function escape(path: string): string {
  return path.replace(/[\s\\#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

/** True when some directory above `path` may not be entered by everybody. */
function isHidden(path: string): boolean {
  for (let dir = dirname(path); ; dir = dirname(dir)) {
    if ((statSync(dir).mode & 0o001) === 0) return true;
    if (dir === dirname(dir)) return false;
  }
}
