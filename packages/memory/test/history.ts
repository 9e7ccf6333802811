import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { budgetOf } from '@palisade/workspace';
import type { IndexReport } from '@palisade/contracts';
import { indexRepository, type Memory, openMemory } from '../src/index.ts';
import type { MemoryOptions } from '../src/open-memory.ts';

/** Moment of the first commit of a {@link TestRepository}, Unix seconds; each of the next is a day later. */
export const FIRST = 1_700_000_000;
export const DAY = 86_400;

export interface TestCommit {
  readonly message?: string;
  readonly author?: readonly [name: string, email: string];
  /** Content by path; null removes it. */
  readonly files?: Readonly<Record<string, string | null>>;
  /** New name by old one. */
  readonly renames?: Readonly<Record<string, string>>;
}

/** A git repository of its own in a temporary folder. */
export class TestRepository {
  readonly directory: string;
  #commits = 0;

  constructor(directory?: string) {
    this.directory = directory ?? mkdtempSync(join(tmpdir(), 'palisade-memory-'));
    if (directory === undefined) this.git('init', '--quiet', '--initial-branch=main', '.');
  }

  git(...args: string[]): string {
    return execFileSync('git', args, {
      cwd: this.directory,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: '/nonexistent',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_AUTHOR_NAME: 'Ada',
        GIT_AUTHOR_EMAIL: 'ada@example.org',
        GIT_COMMITTER_NAME: 'Ada',
        GIT_COMMITTER_EMAIL: 'ada@example.org',
        GIT_COMMITTER_DATE: this.#date(),
        GIT_AUTHOR_DATE: this.#date(),
      },
    }).trimEnd();
  }

  /** Writes files into the work tree. */
  write(files: Readonly<Record<string, string>>): void {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.directory, path)), { recursive: true });
      writeFileSync(join(this.directory, path), content);
    }
  }

  /** Adds commits to `branch` in one go, and checks it out. */
  commit(...commits: readonly TestCommit[]): this {
    const head = this.#head();
    const pieces: string[] = [];
    commits.forEach(
      ({ message = 'Change', author = ['Ada', 'ada@example.org'], files = {}, renames = {} }, at) => {
        const when = `${FIRST + this.#commits * DAY} +0000`;
        this.#commits++;
        pieces.push(
          'commit refs/heads/main\n',
          `author ${author[0]} <${author[1]}> ${when}\ncommitter ${author[0]} <${author[1]}> ${when}\n`,
          data(message),
          at === 0 && head !== undefined ? `from ${head}\n` : '',
          ...Object.entries(renames).map(([from, to]) => `R ${quoted(from)} ${quoted(to)}\n`),
          ...Object.entries(files).map(([path, content]) =>
            content === null ? `D ${quoted(path)}\n` : `M 100644 inline ${quoted(path)}\n${data(content)}`,
          ),
          '\n',
        );
      },
    );
    execFileSync('git', ['fast-import', '--quiet', '--force'], {
      cwd: this.directory,
      input: pieces.join(''),
    });
    this.git('reset', '--quiet', '--hard', 'main');
    return this;
  }

  /** Days of commits so far, Unix ms: a `now` at which the last one is new. */
  get now(): number {
    return (FIRST + this.#commits * DAY) * 1_000;
  }

  index(options: { rebuild?: boolean } = {}): Promise<IndexReport> {
    return indexRepository({
      directory: this.directory,
      budget: budgetOf(60_000),
      now: this.now,
      ...options,
    });
  }

  /** To be disposed of. */
  memory(options: Partial<MemoryOptions> = {}): Promise<Memory> {
    return openMemory({ directory: this.directory, budget: budgetOf(60_000), now: this.now, ...options });
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  #head(): string | undefined {
    try {
      return execFileSync('git', ['rev-parse', 'refs/heads/main'], {
        cwd: this.directory,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();
    } catch {
      return undefined;
    }
  }

  #date(): string {
    return `${FIRST + this.#commits * DAY} +0000`;
  }
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}

function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', String.raw`\"`).replaceAll('\n', String.raw`\n`)}"`;
}
