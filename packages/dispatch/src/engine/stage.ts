import { assertItemTransition, ITEM_TERMINAL, type ItemState } from '@palisade/contracts';
import type { Doomed, ItemFacts } from './item-facts.ts';
import type { PlanGraph } from './plan-graph.ts';

/**
 * Changes of one step before they are committed. A unit of work may be run again or fail, so a step
 * never touches the graph: it reads through this overlay and the owner applies it after the commit.
 */
export class Stage {
  readonly #graph: PlanGraph;
  readonly #facts = new Map<number, ItemFacts>();
  readonly #open = new Map<number, number>();
  /** Items that nothing keeps from starting since this step, in order. */
  readonly freed: number[] = [];
  /** Items that can never start, left by earlier steps and found by this one. */
  readonly doomed: Doomed[];
  /** Items that ended in this step, in order. */
  readonly ended: number[] = [];

  constructor(graph: PlanGraph, doomed: readonly Doomed[] = []) {
    this.#graph = graph;
    this.doomed = [...doomed];
  }

  facts(i: number): ItemFacts {
    return this.#facts.get(i) ?? this.#graph.facts(i);
  }

  /** Dependencies that have not let this item go on yet. */
  open(i: number): number {
    return this.#open.get(i) ?? this.#graph.open(i);
  }

  /**
   * Changes an item; `invalid_state` for what no item may do, before any of it is committed. With its end
   * what depends on it may go on, or can never start: because of this item, or of the one that doomed it.
   */
  set(i: number, change: Partial<ItemFacts>, because: string = this.#graph.item(i).id): void {
    const before = this.facts(i);
    const next = { ...before, ...change };
    if (next.state !== before.state) {
      // `pending` and `ready` are one stored state; an item leaves it as ready.
      const leaves = next.state === 'running' || next.state === 'needs_input' || next.state === 'failed';
      const isReady = before.state === 'pending' && leaves;
      assertItemTransition(isReady ? 'ready' : before.state, next.state);
    }
    this.#facts.set(i, next);
    if (next.state === before.state || !ITEM_TERMINAL.has(next.state)) return;
    this.ended.push(i);
    for (const d of this.#graph.dependents(i)) {
      if (!this.#graph.frees(i, d, next)) {
        this.doomed.push({ ordinal: d, because });
        continue;
      }
      const left = this.open(d) - 1;
      this.#open.set(d, left);
      if (left === 0 && this.facts(d).state === 'pending') this.freed.push(d);
    }
  }

  count(state: ItemState): number {
    let n = this.#graph.count(state);
    for (const [i, facts] of this.#facts) {
      if (this.#graph.facts(i).state === state) n--;
      if (facts.state === state) n++;
    }
    return n;
  }

  get isFinished(): boolean {
    let terminal = 0;
    for (const state of ITEM_TERMINAL) terminal += this.count(state);
    return terminal === this.#graph.size;
  }

  changes(): ReadonlyMap<number, ItemFacts> {
    return this.#facts;
  }
}
