import {
  type AuthorizationRequest,
  faultPoint,
  limits,
  toPalisadeError,
  type AuthorizerAnswer,
} from '@palisade/contracts';
import { doublingMs, type Limiter } from '@palisade/kernel';
import { setTimeout as delay } from 'node:timers/promises';
import { askAuthorizer } from '../authority/ask-authorizer.ts';
import type { Authority } from '../authority/authorize-items.ts';
import { verdictOfNobody } from '../authority/effect-gate.ts';
import type { ItemEnd } from './item-store.ts';

/** An attempt that may start as soon as somebody decided about it. */
export interface Undecided {
  readonly ordinal: number;
  readonly attempt: number;
  readonly request: Omit<AuthorizationRequest, 'at'>;
}

/** What is known of an attempt's authorization: the verdict with its time, or why there will be none. */
export type Decision =
  | { readonly verdict: AuthorizerAnswer; readonly at: number }
  | { readonly fault: Required<ItemEnd> };

/**
 * How a step asks for decisions: `undecided` when there is none yet, or it is too old to fire by; `failing` when asking failed before
 * and is tried again, for which nothing else has to wait.
 */
export type DecisionOf = (
  ordinal: number,
  attempt: number,
  actor: string,
  now: number,
) => Decision | 'undecided' | 'failing';

interface Entry {
  readonly attempt: number;
  /** Aborted when nobody waits for the decision any more. */
  readonly stop: AbortController;
  state: ReturnType<DecisionOf>;
}

interface DecisionsDeps {
  readonly authority: Authority | undefined;
  /** Bounds the questions under way, over all runs of an engine. */
  readonly questions: Limiter;
  /** Protected time as the owner knows it. */
  readonly now: () => number;
  readonly onNews: () => void;
  readonly onTrouble: (itemId: string, error: unknown) => void;
}

/**
 * Decisions about the attempts that one owner is about to start. They are kept in memory alone, until the manifest has them: after a
 * crash everything is asked again. An authorizer that fails holds up nothing but the item it was asked about.
 */
export class Decisions {
  readonly #deps: DecisionsDeps;
  readonly #entries = new Map<number, Entry>();

  constructor(deps: DecisionsDeps) {
    this.#deps = deps;
  }

  readonly of: DecisionOf = (ordinal, attempt, actor, now) => {
    if (this.#deps.authority === undefined) return { verdict: verdictOfNobody(actor), at: now };
    const entry = this.#entries.get(ordinal);
    if (entry?.attempt !== attempt) return 'undecided';
    const { state } = entry;
    const isOld = typeof state === 'object' && 'verdict' in state && now - state.at > limits.authorizationMs;
    return isOld ? 'undecided' : state;
  };

  /** Asks about what a step found undecided, once for each attempt at a time. */
  ask(undecided: readonly Undecided[]): void {
    const { authority } = this.#deps;
    if (authority === undefined) return;
    for (const each of undecided) {
      const entry = this.#entries.get(each.ordinal);
      if (entry?.attempt === each.attempt && typeof entry.state === 'string') continue;
      this.forget(each.ordinal);
      const asked: Entry = { attempt: each.attempt, stop: new AbortController(), state: 'undecided' };
      this.#entries.set(each.ordinal, asked);
      void this.#decide(authority, each, asked).then((decision) => {
        if (asked.stop.signal.aborted) return;
        asked.state = decision;
        faultPoint('authorize.after-decision');
        this.#deps.onNews();
      });
    }
  }

  /** It was acted upon, or is not wanted any more: nobody is asked about it. */
  forget(ordinal: number): void {
    this.#entries.get(ordinal)?.stop.abort();
    this.#entries.delete(ordinal);
  }

  /** Nobody waits for answers any more. */
  detach(): void {
    for (const ordinal of this.#entries.keys()) this.forget(ordinal);
  }

  /** Asks until there is an answer, {@link Authority.patienceMs} are over, or the entry is given up, when nobody looks at what this gives. */
  async #decide(
    { authorizer, timeoutMs, patienceMs }: Authority,
    { request }: Undecided,
    asked: Entry,
  ): Promise<Decision> {
    const { signal } = asked.stop;
    const since = this.#deps.now();
    for (let tried = 1; ; tried++) {
      try {
        return await this.#deps.questions.run(async () => {
          const at = this.#deps.now();
          return { verdict: await askAuthorizer(authorizer, { ...request, at }, timeoutMs, signal), at };
        });
      } catch (error) {
        if (signal.aborted) return { fault: faultOf(error) };
        this.#deps.onTrouble(request.itemId, error);
        if (this.#deps.now() - since >= patienceMs) return { fault: faultOf(error) };
        asked.state = 'failing';
        this.#deps.onNews();
      }
      const pause = doublingMs(tried, limits.retryBaseMs, limits.retryMaxMs);
      await delay(pause, undefined, { signal }).catch(() => {});
    }
  }
}

function faultOf(error: unknown): Required<ItemEnd> {
  // A code of the authorizer's own would say something else of the item.
  const code = 'upstream_failed';
  return { code, reason: `nobody decided whether it may be done: ${toPalisadeError(error, code).message}` };
}
