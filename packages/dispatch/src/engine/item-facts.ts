import type { ItemState, ProductFacts } from '@palisade/contracts';

/** The changing part of one item, as its owner knows it. */
export interface ItemFacts {
  readonly state: ItemState;
  /** Attempts fired so far. */
  readonly attempt: number;
  /** Attempts that ended by the agent's or our own fault; compared with the retry policy. */
  readonly failures: number;
  /** Attempts whose worker vanished; they do not use up the retry policy, but have a bound of their own. */
  readonly lost: number;
  readonly childRunId: string | null;
  readonly nextAttemptAt: number;
  readonly product: ProductFacts | null;
  /** The item whose good end counts instead of this one's. */
  readonly settledBy: string | null;
  /** Why the run could not grow as this item wanted. */
  readonly growthFault: string | null;
}

/** An item of which nothing has happened. */
export const FRESH: ItemFacts = {
  state: 'pending',
  attempt: 0,
  failures: 0,
  lost: 0,
  childRunId: null,
  nextAttemptAt: 0,
  product: null,
  settledBy: null,
  growthFault: null,
};

/** An item that can never start, and the one it waited for. */
export interface Doomed {
  readonly ordinal: number;
  readonly because: string;
}
