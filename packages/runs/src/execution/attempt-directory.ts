import { constants } from 'node:fs';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ATTEMPT_FILES,
  assertSafePath,
  AttemptClaim,
  AttemptResult,
  type AttemptSpec,
  limits,
  PalisadeError,
  parseInput,
} from '@palisade/contracts';

/** The directory through which engine and worker of one attempt speak; see the contract's head comment. */
export class AttemptDirectory {
  readonly path: string;

  constructor(root: string, attemptId: string) {
    this.path = join(root, attemptId);
  }

  get logPath(): string {
    return join(this.path, ATTEMPT_FILES.log);
  }

  /** What a sandbox provider needs to find what a dead worker left running. */
  get stateDir(): string {
    return join(this.path, ATTEMPT_FILES.sandboxState);
  }

  /** Where a product that `result.json` names is, below `products/`; `unsafe_path` for anything else. */
  productPath(file: string): string {
    return join(this.path, ATTEMPT_FILES.products, assertSafePath(file));
  }

  /** Creates it and writes `spec.json` durably. Idempotent: the specification of an attempt never changes. */
  async prepare(spec: AttemptSpec): Promise<void> {
    await mkdir(join(this.path, ATTEMPT_FILES.products), { recursive: true, mode: 0o700 });
    await this.#writeDurably(ATTEMPT_FILES.spec, JSON.stringify(spec));
  }

  /** The attempt's end, or null while there is none. A malformed file is `invalid_model_output`: it is never adopted. */
  async result(): Promise<AttemptResult | null> {
    const text = await this.#read(ATTEMPT_FILES.result);
    if (text === null) return null;
    return parseInput(AttemptResult, parseJson(text, 'result.json'), 'result.json', 'invalid_model_output');
  }

  async claim(): Promise<AttemptClaim | null> {
    const text = await this.#read(ATTEMPT_FILES.claim);
    if (text === null || text === '') return null;
    return parseInput(AttemptClaim, parseJson(text, 'claim.json'), 'claim.json', 'invalid_model_output');
  }

  /**
   * Settles that no worker may start this attempt any more. False when a worker was first. The
   * directory is created when it is missing, so that the decision stands even if the crash came before it.
   */
  async giveUp(): Promise<boolean> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    try {
      const file = await open(
        join(this.path, ATTEMPT_FILES.claim),
        constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY,
        0o600,
      );
      try {
        await file.writeFile(JSON.stringify({ by: 'engine' }));
        await file.sync();
      } finally {
        await file.close();
      }
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
      throw error;
    }
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 3 });
  }

  async #read(name: string): Promise<string | null> {
    try {
      return await readFile(join(this.path, name), 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
      throw error;
    }
  }

  async #writeDurably(name: string, text: string): Promise<void> {
    const temporary = join(this.path, `.${name}.${process.pid}`);
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, join(this.path, name));
  }
}

function parseJson(text: string, name: string): unknown {
  if (text.length > limits.planBytes)
    throw new PalisadeError('too_large', `${name} is larger than ${limits.planBytes} bytes`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new PalisadeError('invalid_model_output', `${name} is not JSON`, { cause });
  }
}
