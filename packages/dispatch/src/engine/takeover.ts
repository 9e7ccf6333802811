import type { Account } from '../flow/account.ts';
import type { OwnClaim } from '../flow/slots.ts';
import type { Lease } from '@palisade/kernel';
import type { RootRun } from '@palisade/runs';
import type { AttemptRef } from './attempts-in-flight.ts';
import type { PlanGraph } from './plan-graph.ts';
import type { Doomed } from './item-facts.ts';

/** What a new owner found when it took the run. */
export interface Takeover {
  readonly run: RootRun;
  readonly lease: Lease;
  readonly graph: PlanGraph;
  /** Why the run has to end: its stored state cannot be read, and `graph` is a stand-in. */
  readonly damage: string | null;
  readonly tickets: ReadonlyMap<number, number>;
  readonly used: number;
  readonly account: Account;
  readonly claim: OwnClaim;
  /** Items in trouble, and null when it is the run itself. */
  readonly troubled: readonly (string | null)[];
  readonly ready: readonly number[];
  /** Items behind one that did not end `done` which a crash left unsettled. */
  readonly doomed: readonly Doomed[];
  /** Attempts whose intent is committed and whose end is not. */
  readonly open: readonly AttemptRef[];
}
