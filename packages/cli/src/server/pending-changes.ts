import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  type CallContext,
  isKeyed,
  isPalisadeError,
  type Operation,
  type OperationCaller,
  PalisadeError,
} from '@palisade/contracts';
import { afterFileLock, withFileLock } from '@palisade/process';
import type * as z from 'zod';
import { operationNamed } from '../api/operation-named.ts';
import { type Mutation, MutationJournal } from './mutation-journal.ts';
import { DEFAULT_SESSION, makePendingDirectory, PENDING, placeDigest } from './state-directory.ts';

/** Whose changes are sent to where. */
export interface ChangePlace {
  readonly stateDirectory: string;
  readonly origin: string;
  readonly project: string;
  /** Name of the user's; each has its own pending change. */
  readonly session: string;
  readonly token: string;
}

type Change = Omit<Mutation, 'isPending'>;

/** What is told of a change whose outcome is open; never what it was given, which may be secret. */
export interface PendingChange {
  readonly operation: string;
  readonly key: string;
}

/**
 * Sends changes to a server so that none is lost or made twice (AO-039, AO-040). The changes of one server, project and session are sent
 * one after another, also by several processes:
 *
 * - none pending: a change is written down with its key, then sent. *Settled*, when the server made it or refused it for good, it is
 *   forgotten. Otherwise, or when this process dies, it stays pending.
 * - one pending: only this very change, with its key, is sent, by whoever repeats it exactly or by {@link retry}. Every other one is
 *   refused with `invalid_state`. {@link giveUp} forgets it, whatever became of it.
 *
 * What reads, or only rehearses, waits until none is being sent (AO-033), so that whoever changed something sees it; what is pending, and
 * being sent by nobody, holds up no read.
 */
export class PendingChanges implements OperationCaller {
  readonly #place: ChangePlace;
  readonly #retryFlags: string;
  readonly #caller: (onRepeat: () => void) => OperationCaller;

  /**
   * @param caller makes calls of the server, and says before each that is made again
   * @param retryFlags what `pal retry` needs besides the settings to find what is pending here
   */
  constructor(place: ChangePlace, caller: (onRepeat: () => void) => OperationCaller, retryFlags = '') {
    this.#place = place;
    this.#retryFlags = retryFlags;
    this.#caller = caller;
  }

  async call<Op extends Operation>(
    operation: Op,
    input: z.input<Op['input']>,
    context: Partial<CallContext> = {},
  ): Promise<z.output<Op['output']>> {
    const isRehearsal = (input as { dry_run?: unknown }).dry_run === true;
    if (!isKeyed(operation) || isRehearsal) {
      await this.#afterOthers(context);
      return this.#caller(() => {}).call(operation, input, context);
    }
    const key = context.idempotencyKey ?? randomUUID();
    const wanted = { key, tool: operation.id, args: JSON.stringify(input) };
    // A call may be about another project than the one that is set.
    const { project } = context;
    if (project !== undefined && project !== this.#place.project)
      return new PendingChanges({ ...this.#place, project }, this.#caller, ` --project ${project}`).call(
        operation,
        input,
        context,
      );
    const answer = await this.#inTurn(context.signal, (journal) => {
      const pending = journal.pending();
      if (pending !== undefined && !isSame(pending, wanted)) throw this.#blocked(pending);
      this.#assertOurs(journal);
      if (pending === undefined) journal.begin(wanted);
      return this.#send(journal, wanted, pending !== undefined, context);
    });
    return answer as z.output<Op['output']>;
  }

  /** The change whose outcome is open; undefined when there is none. */
  async pending(signal?: AbortSignal): Promise<PendingChange | undefined> {
    return this.#inTurn(signal, async (journal) => {
      const change = journal.pending();
      return change === undefined ? undefined : { operation: change.tool, key: change.key };
    });
  }

  /** Sends the pending change again, exactly as it was; undefined when there is none. */
  async retry(
    signal?: AbortSignal,
  ): Promise<{ readonly operation: Operation; readonly answer: unknown } | undefined> {
    return this.#inTurn(signal, async (journal) => {
      const change = journal.pending();
      if (change === undefined) return undefined;
      this.#assertOurs(journal);
      const context = signal === undefined ? {} : { signal };
      return {
        operation: operationNamed(change.tool),
        answer: await this.#send(journal, change, true, context),
      };
    });
  }

  /** Forgets the pending change without knowing what became of it. False when there is none with that key. */
  async giveUp(key: string, signal?: AbortSignal): Promise<boolean> {
    return this.#inTurn(signal, async (journal) => {
      if (journal.pending()?.key !== key) return false;
      journal.forget(key);
      return true;
    });
  }

  async #send(
    journal: MutationJournal,
    { key, tool, args }: Change,
    wasSent: boolean,
    context: Partial<CallContext>,
  ): Promise<unknown> {
    let isRepeated = wasSent;
    const caller = this.#caller(() => {
      isRepeated = true;
    });
    try {
      // What is sent is what was written down.
      const input = JSON.parse(args) as never;
      const answer: unknown = await caller.call(operationNamed(tool), input, {
        ...context,
        idempotencyKey: key,
      });
      forget(journal, key);
      return answer;
    } catch (error) {
      if (isSettled(error, isRepeated)) forget(journal, key);
      else if (isPalisadeError(error))
        throw new PalisadeError(error.code, error.message, {
          why: `${tool} may have been done; sending it again tells, and never does it twice`,
          next: this.#retryCommand(),
          ...(error.issues.length === 0 ? {} : { issues: error.issues }),
          cause: error,
        });
      throw error;
    }
  }

  #blocked({ tool, key }: Mutation): PalisadeError {
    return new PalisadeError('invalid_state', `it is not known yet what became of ${tool}`, {
      why: `it was sent with the key ${key}, and nothing else is changed before that is known`,
      next: this.#retryCommand(),
    });
  }

  #assertOurs(journal: MutationJournal): void {
    const change = journal.isOfOther ? journal.pending() : undefined;
    if (change === undefined) return;
    throw new PalisadeError('invalid_state', `${change.tool} was sent with another credential`, {
      why: 'in the name of somebody else it would be another change',
      next: `pal login with that credential, then ${this.#retryCommand()}; or pal retry --give-up ${change.key}`,
    });
  }

  #retryCommand(): string {
    const { session } = this.#place;
    const ofSession = session === DEFAULT_SESSION ? '' : ` --session ${session}`;
    return `pal retry${this.#retryFlags}${ofSession}`;
  }

  async #afterOthers({ signal = NEVER, project = this.#place.project }: Partial<CallContext>): Promise<void> {
    const lock = lockOf(journalDirectory({ ...this.#place, project }));
    await afterFileLock(lock, { busy: this.#busy(), signal });
  }

  #busy(): string {
    return `busy: another change of session ${this.#place.session} is being sent`;
  }

  async #inTurn<T>(
    signal: AbortSignal | undefined,
    body: (journal: MutationJournal) => Promise<T>,
  ): Promise<T> {
    const { origin, token, stateDirectory } = this.#place;
    const directory = journalDirectory(this.#place);
    makePendingDirectory(stateDirectory);
    return withFileLock(lockOf(directory), { busy: this.#busy(), signal: signal ?? NEVER }, async () => {
      const journal = await MutationJournal.open(directory, origin, token, 'adopt');
      try {
        return await body(journal);
      } finally {
        journal.close();
      }
    });
  }
}

const NEVER = new AbortController().signal;

/** The journal of a place. */
export function journalDirectory(place: Omit<ChangePlace, 'token'>): string {
  return join(place.stateDirectory, PENDING, `${place.session}-${placeDigest(place)}`);
}

/** The lock of a journal, which is a file beside it. */
export function lockOf(journal: string): string {
  return `${journal}.lock`;
}

/** Where that fails, the answer is told all the same: the change stays pending, and is answered as before when it is sent again. */
function forget(journal: MutationJournal, key: string): void {
  try {
    journal.forget(key);
  } catch {}
}

function isSame(a: Change, b: Change): boolean {
  return a.key === b.key && a.tool === b.tool && a.args === b.args;
}

/**
 * True of a failure after which nothing about a change is open: the server refused it for good. A refusal of whoever asks says nothing of
 * an earlier attempt.
 */
function isSettled(error: unknown, wasSentBefore: boolean): boolean {
  if (!isPalisadeError(error)) return false;
  const { status } = error.facts;
  if (status < 400 || status >= 500 || status === 429) return false;
  return !(wasSentBefore && (status === 401 || status === 403));
}
