import { ITEM_TERMINAL, type ItemState, PalisadeError, type ProductFacts } from '@palisade/contracts';
import type { FrozenItem, FrozenPlan } from '../plans/frozen-plan.ts';

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
}

const FRESH: ItemFacts = {
  state: 'pending',
  attempt: 0,
  failures: 0,
  lost: 0,
  childRunId: null,
  nextAttemptAt: 0,
  product: null,
};

/**
 * A run's plan and the state of its items, held by the run's one owner. Every change costs only the
 * edges it touches (DI-179): readiness is a count of unfinished dependencies, never a scan.
 */
export class PlanGraph {
  readonly plan: FrozenPlan;
  readonly #ordinals = new Map<string, number>();
  readonly #facts: ItemFacts[];
  readonly #dependents: number[][];
  readonly #open: number[];
  readonly #counts = new Map<ItemState, number>();

  constructor(plan: FrozenPlan, stored: ReadonlyMap<number, ItemFacts>) {
    this.plan = plan;
    this.hasLocks = plan.items.some((item) => item.locks.length > 0);
    plan.items.forEach((item, i) => this.#ordinals.set(item.id, i));
    this.#dependents = plan.items.map(() => []);
    this.#open = plan.items.map((item) => item.dependsOn.length);
    plan.items.forEach((item, i) => {
      for (const id of item.dependsOn) this.#dependents[this.ordinal(id)]?.push(i);
    });
    this.#facts = plan.items.map((_, i) => stored.get(i) ?? FRESH);
    for (const facts of this.#facts) this.#counts.set(facts.state, (this.#counts.get(facts.state) ?? 0) + 1);
    this.#facts.forEach((facts, i) => {
      if (facts.state === 'done')
        for (const d of this.#dependents[i] ?? []) this.#open[d] = (this.#open[d] ?? 0) - 1;
    });
  }

  /** True when any item of the plan takes locks. */
  readonly hasLocks: boolean;

  get size(): number {
    return this.plan.items.length;
  }

  ordinal(id: string): number {
    const i = this.#ordinals.get(id);
    if (i === undefined) throw new PalisadeError('not_found', `no item ${id}`);
    return i;
  }

  item(i: number): FrozenItem {
    const item = this.plan.items[i];
    if (item === undefined) throw new PalisadeError('internal', `no item at ${i}`);
    return item;
  }

  facts(i: number): ItemFacts {
    return this.#facts[i] ?? FRESH;
  }

  dependents(i: number): readonly number[] {
    return this.#dependents[i] ?? [];
  }

  /** Paths of this item's outputs that other items need. */
  neededOutputs(i: number): string[] {
    const { id } = this.item(i);
    const paths = new Set<string>();
    for (const dependent of this.dependents(i))
      for (const { from, select } of this.item(dependent).needs)
        if (from === id && select.kind === 'output') paths.add(select.path);
    return [...paths];
  }

  /** Dependencies that are not `done` yet. */
  open(i: number): number {
    return this.#open[i] ?? 0;
  }

  count(state: ItemState): number {
    return this.#counts.get(state) ?? 0;
  }

  counts(): Record<string, number> {
    return Object.fromEntries([...this.#counts].filter(([, n]) => n > 0));
  }

  get isFinished(): boolean {
    let terminal = 0;
    for (const state of ITEM_TERMINAL) terminal += this.count(state);
    return terminal === this.size;
  }

  /** Applies one committed change: it was checked before it was committed, and is a fact now. */
  apply(i: number, next: ItemFacts): void {
    const before = this.facts(i);
    if (before.state !== next.state) {
      this.#counts.set(before.state, this.count(before.state) - 1);
      this.#counts.set(next.state, this.count(next.state) + 1);
      if (next.state === 'done') for (const d of this.dependents(i)) this.#open[d] = (this.#open[d] ?? 0) - 1;
    }
    this.#facts[i] = next;
  }
}
