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
  | { readonly fault: ItemEnd };

/** How a step asks for decisions: undefined when there is none yet, or it is too old to fire by. */
export type DecisionOf = (
  ordinal: number,
  attempt: number,
  actor: string,
  now: number,
) => Decision | undefined;

interface Entry {
  readonly attempt: number;
  decision: Decision | null;
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
    if (entry?.attempt !== attempt || entry.decision === null) return undefined;
    const isOld = 'verdict' in entry.decision && now - entry.decision.at > limits.authorizationMs;
    return isOld ? undefined : entry.decision;
  };

  /** Asks about what a step found undecided, once for each attempt at a time. */
  ask(undecided: readonly Undecided[]): void {
    const { authority } = this.#deps;
    if (authority === undefined) return;
    for (const each of undecided) {
      const entry = this.#entries.get(each.ordinal);
      if (entry?.attempt === each.attempt && entry.decision === null) continue;
      const asked: Entry = { attempt: each.attempt, decision: null };
      this.#entries.set(each.ordinal, asked);
      void this.#decide(authority, each).then((decision) => {
        if (decision === null) return;
        asked.decision = decision;
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
  ): Promise<Decision | null> {
    for (let tried = 1; ; tried++) {
      if (this.#stop.signal.aborted) return null;
      const at = this.#deps.now();
      try {
        return { verdict: await askAuthorizer(authorizer, { ...request, at }, timeoutMs), at };
      } catch (error) {
        this.#deps.onTrouble(request.itemId, error);
        if (tried >= maxTries) return { fault: faultOf(error) };
        const pause = Math.min(limits.retryMaxMs, backoffMs * 2 ** (tried - 1));
        await delay(pause, undefined, { signal: this.#stop.signal }).catch(() => {});
      }
    }
  }
}

function faultOf(error: unknown): ItemEnd {
  const { code, message } = toPalisadeError(error, 'upstream_failed');
  return { code, reason: `nobody decided whether it may be done: ${message}` };
}
