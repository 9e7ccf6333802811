import { readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { contentOf } from '../repository/file-content.ts';
import type { Repository } from '../repository/repository.ts';

const MOST_BYTES = 1024 * 1024;
/** Of a `package.json`: nobody writes more. */
const MOST_SCRIPTS = 500;

/** What the files of a work tree say about how the project is checked. Each file is read once. */
export class ProjectFiles {
  readonly #repository: Pick<Repository, 'workTree'>;
  readonly #texts = new Map<string, string | undefined>();
  readonly #scripts = new Map<string, ReadonlyMap<string, unknown>>();

  constructor(repository: Pick<Repository, 'workTree'>) {
    this.#repository = repository;
  }

  /** The text of a small regular file, or undefined. */
  read(path: string): string | undefined {
    if (this.#texts.has(path)) return this.#texts.get(path);
    const text = contentOf(this.#repository, path, MOST_BYTES)?.toString('utf8');
    this.#texts.set(path, text);
    return text;
  }

  has(path: string): boolean {
    return this.read(path) !== undefined;
  }

  /** Whether a folder has a file with an ending. */
  holds(folder: string, ending: string): boolean {
    try {
      return readdirSync(join(this.#repository.workTree, folder)).some((name) => name.endsWith(ending));
    } catch {
      return false;
    }
  }

  /** The nearest folder upwards that holds one of the files, `.` for the root. */
  nearest(folder: string, ...names: readonly string[]): string | undefined {
    for (let at = folder; ; at = posix.dirname(at)) {
      if (names.some((name) => this.has(posix.join(at, name)))) return at;
      if (at === '.' || at === '/') return undefined;
    }
  }

  /** The scripts of a folder's `package.json`, read once; empty when it has none. */
  scripts(folder: string): ReadonlyMap<string, unknown> {
    let scripts = this.#scripts.get(folder);
    if (scripts === undefined) {
      scripts = scriptsOf(this.read(posix.join(folder, 'package.json')) ?? '');
      this.#scripts.set(folder, scripts);
    }
    return scripts;
  }
}

function scriptsOf(text: string): ReadonlyMap<string, unknown> {
  try {
    const value = JSON.parse(text) as { readonly scripts?: unknown } | null;
    const scripts = value?.scripts;
    return new Map(
      typeof scripts === 'object' && scripts !== null ? Object.entries(scripts).slice(0, MOST_SCRIPTS) : [],
    );
  } catch {
    return new Map();
  }
}
