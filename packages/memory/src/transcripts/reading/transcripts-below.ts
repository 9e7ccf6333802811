import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { databasePlaces, OPENCODE_DATABASE, sessionsIn } from '../opencode/session-database.ts';
import { sessionFilesPlace } from '../opencode/session-files.ts';
import { filePlace } from './read-source.ts';
import type { Place } from './source.ts';

/** Names of the files that may be transcripts. */
const TRANSCRIPT = /\.jsonl?$/;
/** Folders of a harness's home that hold other things, some of them large. */
const OTHER: ReadonlySet<string> = new Set(['node_modules', '.git']);
/** Of more than these only the number is said. */
const MAX_NOTES = 20;

export interface Listing {
  readonly places: readonly Place[];
  /** What the paths in stores begin with whose sessions could not be listed: nothing of them counts as gone. */
  readonly unread: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Everything below a folder that may be a transcript, or one file. Links below it are not followed, and neither they nor pipes,
 * sockets and devices are opened. Nothing of a folder that is not there; undefined when it cannot be read.
 */
export function transcriptsBelow(root: string): Listing | undefined {
  const search = new Search();
  try {
    const stats = statSync(root, { throwIfNoEntry: false });
    if (stats === undefined) return search.listing;
    if (stats.isFile()) search.file(realpathSync(root));
    else search.below(root);
  } catch {
    // Of a folder that may not be read nothing is known, so nothing in it counts as gone.
    return undefined;
  }
  return search.listing;
}

class Search {
  readonly #places: Place[] = [];
  readonly #unread: string[] = [];
  readonly #notes: string[] = [];
  readonly #irregular: string[] = [];

  get listing(): Listing {
    const more = this.#irregular.length - MAX_NOTES;
    return {
      places: this.#places.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
      unread: this.#unread,
      notes: [
        ...this.#notes,
        ...this.#irregular.toSorted().slice(0, MAX_NOTES),
        ...(more > 0 ? [`${more} more links, pipes and the like are left out`] : []),
      ],
    };
  }

  file(path: string): void {
    if (!path.endsWith('.db')) {
      this.#places.push(filePlace(path));
      return;
    }
    this.#store(path, `${path}#`, () => databasePlaces(path));
  }

  #store(path: string, prefix: string, places: () => readonly Place[]): void {
    try {
      this.#places.push(...places());
    } catch (error) {
      this.#unread.push(prefix);
      this.#notes.push(`${path} is left out: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  below(root: string): void {
    const waiting = [root];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      const entries = readdirSync(at, { withFileTypes: true });
      if (this.#openCode(at, entries)) continue;
      for (const entry of entries) {
        const path = join(at, entry.name);
        const isNamed = TRANSCRIPT.test(entry.name) || OPENCODE_DATABASE.test(entry.name);
        if (entry.isDirectory()) {
          if (!OTHER.has(entry.name)) waiting.push(path);
        } else if (entry.isFile()) {
          if (isNamed) this.file(path);
        } else if (isNamed || entry.isSymbolicLink())
          this.#irregular.push(`${path} is ${kindOf(entry)} and left out`);
      }
    }
  }

  /** Whether a folder is where OpenCode kept its sessions as files; then they are in it and nothing else. */
  #openCode(folder: string, entries: readonly Dirent[]): boolean {
    const isFolder = (name: string): boolean =>
      entries.some((entry) => entry.name === name && entry.isDirectory());
    if (!isFolder('session') || !isFolder('message')) return false;
    const found = readdirSync(join(folder, 'session'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => {
        const project = join(folder, 'session', name);
        return readdirSync(project, { withFileTypes: true })
          .filter((entry) => entry.isFile() && /^ses_\w+\.json$/.test(entry.name))
          .map((entry) => ({ id: entry.name.slice(0, -'.json'.length), path: join(project, entry.name) }));
      });
    if (found.length === 0) return false;
    // Newer versions took what was here over into their database and left it: what it has cannot be told without it.
    this.#store(folder, join(folder, '/'), () => {
      const home = dirname(folder);
      const taken = new Set(
        readdirSync(home, { withFileTypes: true })
          .filter((entry) => entry.isFile() && OPENCODE_DATABASE.test(entry.name))
          .flatMap(({ name }) => sessionsIn(join(home, name))),
      );
      return found.filter(({ id }) => !taken.has(id)).map(({ path }) => sessionFilesPlace(path));
    });
    return true;
  }
}

function kindOf(entry: Dirent): string {
  if (entry.isSymbolicLink()) return 'a link';
  if (entry.isFIFO()) return 'a pipe';
  return entry.isSocket() ? 'a socket' : 'a device';
}
