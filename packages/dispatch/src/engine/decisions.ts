import {
  type AuthorizationRequest,
  faultPoint,
  limits,
  toPalisadeError,
  type AuthorizerAnswer,
} from '@palisade/contracts';
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
  readonly maxTries: number;
  readonly backoffMs: number;
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
  state: ReturnType<DecisionOf>;
}

interface DecisionsDeps {
  readonly authority: Authority | undefined;
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
  readonly #stop = new AbortController();

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
      const asked: Entry = { attempt: each.attempt, state: 'undecided' };
      this.#entries.set(each.ordinal, asked);
      void this.#decide(authority, each, asked).then((decision) => {
        if (decision === null) return;
        asked.state = decision;
        faultPoint('authorize.after-decision');
        this.#deps.onNews();
      });
    }
  }

  /** It was acted upon. */
  forget(ordinal: number): void {
    this.#entries.delete(ordinal);
  }

  /** Nobody waits for answers any more. */
  detach(): void {
    this.#stop.abort();
  }

  /** Tries within the item's own retry policy; null when detached meanwhile. */
  async #decide(
    { authorizer, timeoutMs }: Authority,
    { request, maxTries, backoffMs }: Undecided,
    asked: Entry,
  ): Promise<Decision | null> {
    for (let tried = 1; ; tried++) {
      if (this.#stop.signal.aborted) return null;
      const at = this.#deps.now();
      try {
        return { verdict: await askAuthorizer(authorizer, { ...request, at }, timeoutMs), at };
      } catch (error) {
        this.#deps.onTrouble(request.itemId, error);
        if (tried >= maxTries) return { fault: faultOf(error) };
        asked.state = 'failing';
        this.#deps.onNews();
        const pause = Math.min(limits.retryMaxMs, backoffMs * 2 ** (tried - 1));
        await delay(pause, undefined, { signal: this.#stop.signal }).catch(() => {});
      }
    }
  }
}

function faultOf(error: unknown): Required<ItemEnd> {
  // A code of the authorizer's own would say something else of the item.
  const code = 'upstream_failed';
  return { code, reason: `nobody decided whether it may be done: ${toPalisadeError(error, code).message}` };
}
