import {
  type BudgetBreach,
  type BudgetFacts,
  breachOf,
  type Charge,
  NOTHING_SPENT,
  type Spent,
  withCharge,
  withStart,
} from '@palisade/contracts';
import { type ReadTx } from '@palisade/kernel';
import { spentByItem, sumOf } from '@palisade/runs';
import type { PlanGraph } from '../engine/plan-graph.ts';

/** What a run's attempts used, as its owner knows it between two steps. */
export interface Account {
  readonly spent: Spent;
  /** What attempts under way may still cost, micro-dollars. */
  readonly reserved: number;
  /** Of each item that has limits of its own. */
  readonly items: ReadonlyMap<number, Spent>;
}

export const EMPTY_ACCOUNT: Account = { spent: NOTHING_SPENT, reserved: 0, items: new Map() };

/** Reads the account of a run just taken. */
export async function readAccount(tx: ReadTx, runId: string, graph: PlanGraph): Promise<Account> {
  const rows = await spentByItem(tx, runId);
  const items = new Map<number, Spent>();
  for (const { itemId, spent } of rows) {
    const ordinal = graph.ordinal(itemId);
    if (graph.item(ordinal).budget !== undefined) items.set(ordinal, spent);
  }
  return { spent: sumOf(rows), reserved: rows.reduce((sum, row) => sum + row.reservedMicroUsd, 0), items };
}

/**
 * The account within one step, before its changes are committed (see `Stage`). Every attempt is asked for here
 * before it is started, and what it may cost is set aside until its end is told: attempts side by side cannot
 * each spend the same rest (FF-171).
 */
export class StepAccount {
  #spent: Spent;
  #reserved: number;
  readonly #before: Account;
  readonly #items = new Map<number, Spent>();
  readonly #budget: BudgetFacts | null;
  /** An ended attempt told what it used. */
  #isTold = false;

  constructor(account: Account, budget: BudgetFacts | null) {
    this.#before = account;
    this.#spent = account.spent;
    this.#reserved = account.reserved;
    this.#budget = budget;
  }

  /** The run's limit that lets this attempt not start, now or ever. */
  runBreach(next: number | null): BudgetBreach | null {
    return this.#budget === null ? null : breachOf(this.#budget, this.#spent, this.#reserved, next);
  }

  /** A limit of the run that is reached whatever comes next, when it is to stop what runs as well. */
  stoppingBreach(): BudgetBreach | null {
    return this.#budget?.stops === true ? breachOf(this.#budget, this.#spent) : null;
  }

  /** The item's own limit that lets it have no further attempt. */
  itemBreach(ordinal: number, budget: BudgetFacts, next: number | null): BudgetBreach | null {
    return breachOf(budget, this.#item(ordinal), 0, next);
  }

  start(ordinal: number, hasLimits: boolean, reserved: number | null): void {
    this.#spent = withStart(this.#spent);
    this.#reserved += reserved ?? 0;
    if (hasLimits) this.#items.set(ordinal, withStart(this.#item(ordinal)));
  }

  end(ordinal: number, hasLimits: boolean, reserved: number | null, charge: Charge): void {
    this.#spent = withCharge(this.#spent, charge);
    this.#reserved -= reserved ?? 0;
    if (hasLimits) this.#items.set(ordinal, withCharge(this.#item(ordinal), charge));
    if (charge.costMicroUsd !== null || charge.tokens !== null) this.#isTold = true;
  }

  /** Whether there is something new that people are shown. */
  get isShown(): boolean {
    const { spent } = this.#before;
    if (this.#spent === spent) return false;
    return this.#isTold || this.#budget !== null || spent.cost_micro_usd > 0 || spent.tokens > 0;
  }

  get spent(): Spent {
    return this.#spent;
  }

  /** The account after the step. */
  get after(): Account {
    const items =
      this.#items.size === 0 ? this.#before.items : new Map([...this.#before.items, ...this.#items]);
    return { spent: this.#spent, reserved: this.#reserved, items };
  }

  #item(ordinal: number): Spent {
    return this.#items.get(ordinal) ?? this.#before.items.get(ordinal) ?? NOTHING_SPENT;
  }
}
