import { posix } from 'node:path';
import { contentOf } from '../structure/index-tree.ts';
import type { Repository } from '../repository/repository.ts';

const MOST_BYTES = 1024 * 1024;

/** What the files of a work tree say about how the project is checked. Each file is read once. */
export class ProjectFiles {
  readonly #repository: Pick<Repository, 'workTree'>;
  readonly #texts = new Map<string, string | undefined>();

  constructor(repository: Pick<Repository, 'workTree'>) {
    this.#repository = repository;
  }

  /** The text of a small regular file, or undefined. */
  read(path: string): string | undefined {
    if (this.#texts.has(path)) return this.#texts.get(path);
    const content = contentOf(this.#repository, path);
    const text = content === undefined || content.length > MOST_BYTES ? undefined : content.toString('utf8');
    this.#texts.set(path, text);
    return text;
  }

  has(path: string): boolean {
    return this.read(path) !== undefined;
  }

  /** The nearest folder upwards that holds one of the files, `.` for the root. */
  nearest(folder: string, ...names: readonly string[]): string | undefined {
    for (let at = folder; ; at = posix.dirname(at)) {
      if (names.some((name) => this.has(posix.join(at, name)))) return at;
      if (at === '.' || at === '/') return undefined;
    }
  }

  /** The value of a JSON file, or undefined when it is none. */
  json(path: string): Record<string, unknown> | undefined {
    try {
      const value: unknown = JSON.parse(this.read(path) ?? '');
      return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
    } catch {
      return undefined;
    }
  }
}
