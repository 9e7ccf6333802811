import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ContentHash, limits, PalisadeError } from '@palisade/contracts';
import { entriesIn, openFileIn, openFolder, openFolderIn, type OpenFolder } from './beneath.ts';
import { errno } from './errno.ts';
import { assertBudget, type Budget, budgetOf } from './git-process.ts';
import type { WorkspaceHandle } from './handle.ts';
import { pathText } from './path-text.ts';
import { childPath } from './remove-tree.ts';

export interface OutputOptions {
  /** Folder for the copies; created. */
  readonly destination: string;
  /** Default {@link limits.outputFileBytes}. */
  readonly maxFileBytes?: number;
  /** Default {@link limits.outputEntries}. */
  readonly maxEntries?: number;
  /** Default {@link limits.captureMs}. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** One file the agent left under `outputs/`. */
export interface CapturedOutput {
  /** Its path below `outputs/`, `/`-separated, in text form. */
  readonly path: string;
  /** Name of the copy inside `destination`. */
  readonly file: string;
  readonly hash: ContentHash;
  readonly size: number;
}

export interface CapturedOutputs {
  readonly outputs: readonly CapturedOutput[];
  /** What was left out and why, one sentence each (DI-116). */
  readonly warnings: readonly string[];
}

/** Folders below this depth are skipped aloud. */
const MAX_DEPTH = 64;
/** Most sentences about skipped files; the rest is counted. */
const MAX_WARNINGS = 100;

/**
 * Copies the regular files under `outputs/`, in byte order of their paths (DI-116). Symlinks and
 * everything below them are skipped, and no symlink can make the copy read elsewhere, not even one
 * planted while it runs. Whatever is skipped is said. Errors: `storage_full`,
 * `capture_failed`, `timed_out`, `canceled`.
 */
export async function captureOutputs(
  handle: WorkspaceHandle,
  options: OutputOptions,
): Promise<CapturedOutputs> {
  await mkdir(options.destination, { recursive: true });
  const collector = new Collector(options);
  let root: OpenFolder;
  try {
    root = await openFolder(join(handle.directory, 'outputs'));
  } catch (error) {
    if (errno(error) === 'ENOENT') return { outputs: [], warnings: [] };
    if (errno(error) === 'ELOOP' || errno(error) === 'ENOTDIR')
      return { outputs: [], warnings: ['outputs is not a folder; nothing was taken from it'] };
    throw new PalisadeError('capture_failed', 'outputs cannot be read', {
      why: errno(error) ?? 'unknown',
      cause: error,
    });
  }
  await using folder = root;
  await collector.folder(folder, Buffer.alloc(0), 0);
  return collector.result();
}

class Collector {
  readonly #options: OutputOptions;
  readonly #budget: Budget;
  readonly #outputs: CapturedOutput[] = [];
  readonly #warnings: string[] = [];
  #skipped = 0;
  #beyond = 0;

  constructor(options: OutputOptions) {
    this.#options = options;
    this.#budget = budgetOf(options.timeoutMs ?? limits.captureMs, options.signal);
  }

  result(): CapturedOutputs {
    const warnings = [...this.#warnings];
    if (this.#skipped > MAX_WARNINGS)
      warnings.push(`${this.#skipped - MAX_WARNINGS} further entries were skipped`);
    if (this.#beyond > 0)
      warnings.push(`${this.#beyond} files beyond the first ${this.#maxEntries} were skipped`);
    return { outputs: this.#outputs, warnings };
  }

  get #maxEntries(): number {
    return this.#options.maxEntries ?? limits.outputEntries;
  }

  async folder(folder: OpenFolder, prefix: Buffer, depth: number): Promise<void> {
    for (const { name, kind } of await entriesIn(folder)) {
      assertBudget(this.#budget);
      const path = prefix.length === 0 ? name : childPath(prefix, name);
      try {
        if (kind === 'symlink') this.#skip(path, 'is a symlink');
        else if (kind === 'special') this.#skip(path, 'is not a regular file');
        else if (kind === 'file') await this.#file(folder, name, path);
        else if (depth >= MAX_DEPTH) this.#skip(path, 'is too deep');
        else {
          await using inner = await openFolderIn(folder, name);
          await this.folder(inner, path, depth + 1);
        }
      } catch (error) {
        const code = errno(error) ?? '';
        if (['ELOOP', 'ENOTDIR', 'ENOENT', 'EACCES', 'ENXIO'].includes(code))
          this.#skip(path, `cannot be read (${code})`);
        else throw error;
      }
    }
  }

  async #file(folder: OpenFolder, name: Buffer, path: Buffer): Promise<void> {
    if (this.#outputs.length >= this.#maxEntries) {
      this.#beyond++;
      return;
    }
    const opened = await openFileIn(folder, name);
    if (opened === null) {
      this.#skip(path, 'is not a regular file');
      return;
    }
    await using source = opened.handle;
    const maxBytes = this.#options.maxFileBytes ?? limits.outputFileBytes;
    const file = `output-${String(this.#outputs.length).padStart(4, '0')}`;
    const target = join(this.#options.destination, file);
    const copied =
      opened.stats.size > maxBytes ? null : await copyBounded(source, target, maxBytes, this.#budget);
    if (copied === null) this.#skip(path, `is bigger than ${maxBytes} bytes`);
    else this.#outputs.push({ path: pathText(path), file, ...copied });
  }

  #skip(path: Buffer, why: string): void {
    this.#skipped++;
    if (this.#skipped <= MAX_WARNINGS)
      this.#warnings.push(`outputs/${pathText(path)} ${why} and was skipped`);
  }
}

/** Copies and hashes in one pass; null, and no copy, when the file outgrows the bound while it is read. */
async function copyBounded(
  source: FileHandle,
  target: string,
  maxBytes: number,
  budget: Budget,
): Promise<{ hash: ContentHash; size: number } | null> {
  await rm(target, { force: true });
  await using copy = await open(target, 'wx', 0o600);
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(1024 * 1024);
  let size = 0;
  for (;;) {
    assertBudget(budget);
    const { bytesRead } = await source.read(chunk, 0, chunk.length, size);
    if (bytesRead === 0) break;
    size += bytesRead;
    if (size > maxBytes) {
      await rm(target, { force: true });
      return null;
    }
    const part = chunk.subarray(0, bytesRead);
    hash.update(part);
    await copy.writeFile(part).catch((error: unknown) => {
      throw errno(error) === 'ENOSPC'
        ? new PalisadeError('storage_full', 'no space left for an output', { cause: error })
        : error;
    });
  }
  await copy.sync();
  return { hash: `sha256:${hash.digest('hex')}`, size };
}
