import { existsSync } from 'node:fs';
import { link, mkdir, open, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  ATTEMPT_FILES,
  assertSafePath,
  AttemptClaim,
  AttemptResult,
  type AttemptSpec,
  type InboxMessage,
  limits,
  messageFile,
  PalisadeError,
  parseInput,
  SandboxSettings,
} from '@palisade/contracts';

const TOMBSTONE_MS = 7 * 86_400_000;

/** The directory through which engine and worker of one attempt speak; see the contract's head comment. */
export class AttemptDirectory {
  readonly path: string;
  /** Says for good that the attempt was given up: it outlives the directory and the claim in it. */
  readonly #tombstone: string;

  constructor(root: string, attemptId: string) {
    this.path = join(root, attemptId);
    this.#tombstone = join(`${root}-given-up`, attemptId);
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

  /**
   * Creates it and writes `spec.json` durably. Idempotent: the specification of an attempt never changes.
   * `lease_conflict` when the attempt was given up: an owner that stood still between the commit of the
   * intent and this call comes too late, whether the directory is still there or removed already. What
   * it does after the check fails on the missing directory or on the claim in it.
   */
  async prepare(spec: AttemptSpec): Promise<void> {
    await mkdir(join(this.path, ATTEMPT_FILES.products), { recursive: true, mode: 0o700 });
    if (existsSync(this.#tombstone)) {
      for (const left of [join(this.path, ATTEMPT_FILES.products), this.path])
        await rmdir(left).catch(() => {});
      throw new PalisadeError('lease_conflict', 'another owner gave this attempt up');
    }
    const draft = await this.#draft(ATTEMPT_FILES.spec, JSON.stringify(spec));
    await rename(draft, join(this.path, ATTEMPT_FILES.spec));
    await this.#settle();
  }

  /** The sandbox provider the attempt's specification names; null when it cannot be read, for whatever reason. */
  async sandboxProvider(): Promise<string | null> {
    try {
      const spec = parseJson((await this.#read(ATTEMPT_FILES.spec)) ?? '', 'spec.json');
      const sandbox = typeof spec === 'object' && spec !== null && 'sandbox' in spec ? spec.sandbox : null;
      return SandboxSettings.parse(sandbox).provider;
    } catch {
      return null;
    }
  }

  /** True when a worker came to its end here, whether or not its result can be read or believed. */
  async hasResult(): Promise<boolean> {
    try {
      await stat(join(this.path, ATTEMPT_FILES.result));
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
      throw error;
    }
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

  /** When the worker last showed life, as its own machine's clock has it; null when there is no claim. */
  async signOfLife(): Promise<number | null> {
    const facts = await stat(join(this.path, ATTEMPT_FILES.claim)).catch(() => null);
    return facts?.mtimeMs ?? null;
  }

  /** Asks a worker that no signal reaches from here to stop. */
  async askToStop(): Promise<void> {
    await writeFile(join(this.path, ATTEMPT_FILES.stop), '');
  }

  /**
   * Leaves a message for the worker, whole or not at all; again, it changes nothing. Raises `ENOENT` when the directory is gone: it is
   * never made for it.
   */
  async putMessage(message: InboxMessage): Promise<void> {
    const mailbox = join(this.path, ATTEMPT_FILES.messages);
    await mkdir(mailbox, { mode: 0o700 }).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    });
    const draft = await this.#draft(ATTEMPT_FILES.messages, JSON.stringify(message));
    await rename(draft, join(mailbox, messageFile(message.seq)));
  }

  /** The number of the last message that lies in the agent's inbox, by the worker's word; 0 before one does. */
  async delivered(): Promise<number> {
    const text = await this.#read(ATTEMPT_FILES.delivered);
    const through = Number(text ?? 0);
    return Number.isSafeInteger(through) && through > 0 ? through : 0;
  }

  /**
   * Settles that no worker may start this attempt any more. False when a worker was first. The
   * directory is created when it is missing, so that the decision stands even if the crash came before it.
   */
  async giveUp(): Promise<boolean> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    // Linked whole: a crash in between must not leave an empty claim that every later recovery waits for.
    const draft = await this.#draft(ATTEMPT_FILES.claim, JSON.stringify({ by: 'engine' }));
    try {
      await link(draft, join(this.path, ATTEMPT_FILES.claim));
      await this.#settle();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      const claim = await this.claim().catch(() => null);
      if (claim?.by !== 'engine') return false;
    } finally {
      await rm(draft, { force: true });
    }
    await this.#bury();
    return true;
  }

  /** Written before the directory may go; removed when no standstill of an owner can have lasted so long. */
  async #bury(): Promise<void> {
    const directory = dirname(this.#tombstone);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(this.#tombstone, '');
    for (const name of await readdir(directory)) {
      const old = join(directory, name);
      const facts = await stat(old).catch(() => null);
      if (facts !== null && Date.now() - facts.mtimeMs > TOMBSTONE_MS) await rm(old, { force: true });
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

  /** Writes a file durably under a name nobody reads, and says where. */
  async #draft(name: string, text: string): Promise<string> {
    const draft = join(this.path, `.${name}.${process.pid}.${crypto.randomUUID()}`);
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    return draft;
  }

  /** Makes the names in the directory, and its own, outlive a loss of power. */
  async #settle(): Promise<void> {
    for (const path of [this.path, dirname(this.path)]) {
      const directory = await open(path, 'r');
      try {
        await directory.sync();
      } finally {
        await directory.close();
      }
    }
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
