import {
  type ContentHash,
  contentHash,
  type ErrorCode,
  errorCatalogue,
  getArtifact,
  type ItemState,
  type ItemView,
  type OutputRef,
  PalisadeError,
  type ProductFacts,
  RESULT_OUTPUT,
  type Usage,
} from '@palisade/contracts';
import type { Calls } from './calls.ts';
import { printedBy } from './printed.ts';

/**
 * Why a unit of work ended that did not come to the end of its own program (DI-077). A program that
 * exits with a status of its own has none.
 */
export interface Failure {
  readonly code: ErrorCode;
  readonly detail: string;
}

/** What became of one item, and what it left. Bytes are fetched when they are asked for, and are verified. */
export class ItemResult {
  readonly id: string;
  readonly state: ItemState;
  /** True when it ended `done`. */
  readonly ok: boolean;
  /** Attempts made; 0 for an item that never started. */
  readonly attempts: number;
  /** Of the last attempt's agent or gate; null when none exited. */
  readonly exitCode: number | null;
  readonly failure: Failure | null;
  /** One line that says why it ended so. */
  readonly reason: string | null;
  readonly durationMs: number;
  /** Everything that is recorded of what it left. */
  readonly product: ProductFacts;
  /** Absent facts are unknown, never zero. */
  readonly usage: Usage;
  readonly summary: string | null;
  /** Files it left below `outputs/`. */
  readonly outputs: readonly OutputRef[];
  /** The address of its manifest: what it was allowed to do, recorded before its first effect. */
  readonly manifestRef: string | null;
  readonly #calls: Calls;
  readonly #run: string;

  constructor(calls: Calls, run: string, view: ItemView) {
    const product = view.product ?? {};
    this.#calls = calls;
    this.#run = run;
    this.id = view.id;
    this.state = view.state;
    this.ok = view.state === 'done';
    this.attempts = view.attempt;
    this.exitCode = view.exit_code ?? null;
    this.failure = failureOf(view);
    this.reason = view.reason ?? null;
    this.durationMs =
      view.started_at === undefined || view.finished_at === undefined
        ? 0
        : view.finished_at - view.started_at;
    this.product = product;
    this.usage = product.usage ?? {};
    this.summary = product.summary ?? null;
    this.outputs = product.outputs ?? [];
    this.manifestRef = view.manifest_ref ?? null;
  }

  /** The patch in git's format, as bytes because files may hold any; null when nothing changed. */
  async patch(): Promise<Buffer | null> {
    const ref = this.product.result_ref;
    return ref === undefined ? null : await this.#bytes(ref);
  }

  /** An output's bytes, by its path below `outputs/`. Raises `not_found` for one that was not left. */
  async output(path: string): Promise<Buffer> {
    const found = this.outputs.find((output) => output.path === path);
    if (found === undefined)
      throw new PalisadeError('not_found', `item ${this.id} left no output ${path}`, {
        why: `it left ${this.outputs.map((output) => output.path).join(', ') || 'none'}`,
      });
    return await this.#bytes(found.ref);
  }

  /**
   * The structured result: the JSON of the output `result.json`, or null when it left none. `invalid_model_output` when it
   * is no JSON; what is in it is the agent's word, to be judged like any input.
   */
  async result(): Promise<unknown> {
    if (!this.outputs.some((output) => output.path === RESULT_OUTPUT)) return null;
    const text = (await this.output(RESULT_OUTPUT)).toString('utf8');
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new PalisadeError('invalid_model_output', `${RESULT_OUTPUT} of item ${this.id} is not JSON`);
    }
  }

  /** What its agent printed in the last attempt, redacted; at most 4 MiB of it, the cut marked. */
  async stdout(): Promise<string> {
    return (await printedBy(this.#calls, this.#run, this.id)).stdout;
  }

  /** Its standard error, at most 256 KiB. */
  async stderr(): Promise<string> {
    return (await printedBy(this.#calls, this.#run, this.id)).stderr;
  }

  async #bytes(ref: ContentHash): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const part: { base64: string; next_offset?: number | undefined } = await this.#calls.call(getArtifact, {
        ref,
        offset,
      });
      parts.push(Buffer.from(part.base64, 'base64'));
      offset = part.next_offset;
    }
    const bytes = Buffer.concat(parts);
    if (contentHash(bytes) !== ref)
      throw new PalisadeError('integrity_mismatch', `${ref} came as other bytes`);
    return bytes;
  }
}

function failureOf(view: ItemView): Failure | null {
  const { code } = view;
  if (view.state === 'done' || code === undefined || !Object.hasOwn(errorCatalogue, code)) return null;
  return { code: code as ErrorCode, detail: view.reason ?? code };
}
