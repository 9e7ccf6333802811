import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AttemptEnd } from '@palisade/contracts';

/** What was decided of an attempt: how it ended, or that it is given up. */
export type Fate = { readonly end: AttemptEnd } | { readonly end: null };

/**
 * The one file that decides an attempt, made exactly once: by whoever carries it out, with its end, or by
 * a recovering engine, which gives it up. Whoever comes second has to accept what is there.
 */
export class AttemptFate {
  readonly #directory: string;
  readonly #path: string;

  /** `attemptId` comes from the control plane, which makes only names that are safe in a path. */
  constructor(root: string, attemptId: string) {
    this.#directory = join(root, attemptId);
    this.#path = join(this.#directory, 'fate.json');
  }

  /** Null while nothing is decided. */
  async read(): Promise<Fate | null> {
    try {
      return JSON.parse(await readFile(this.#path, 'utf8')) as Fate;
    } catch (error) {
      if (isCode(error, 'ENOENT')) return null;
      throw error;
    }
  }

  /** Decides, durably, and gives what holds: `fate`, or what somebody else had decided before. */
  async decide(fate: Fate): Promise<Fate> {
    await mkdir(this.#directory, { recursive: true });
    const draft = join(this.#directory, `draft.${process.pid}.${crypto.randomUUID()}`);
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(JSON.stringify(fate));
      await file.sync();
    } finally {
      await file.close();
    }
    try {
      await link(draft, this.#path);
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
    } finally {
      await rm(draft, { force: true });
    }
    return (await this.read()) ?? fate;
  }

  async remove(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
