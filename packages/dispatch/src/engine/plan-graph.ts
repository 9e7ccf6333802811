import {
  type AgentDefinition,
  type ContentHash,
  ITEM_TERMINAL,
  type ItemState,
  PalisadeError,
  RESULT_OUTPUT,
} from '@palisade/contracts';
import { type Doomed, FRESH, type ItemFacts } from './item-facts.ts';
import type { FrozenItem, FrozenPart, FrozenPlan } from '../plans/frozen-plan.ts';

/** What a graph reads of items besides their frozen form: the committed facts, or those of a step. */
export type FactsOf = (ordinal: number) => ItemFacts;

/**
 * A run's plan and the state of its items, held by the run's one owner. Every change costs only the
 * edges it touches (DI-179): readiness is a count of unfinished dependencies, never a scan. It grows by
 * parts, whose edges all lead forwards: an item never gains a dependency.
 */
export class PlanGraph {
  readonly plan: FrozenPlan;
  readonly #agents: Record<ContentHash, AgentDefinition>;
  readonly #items: FrozenItem[] = [];
  readonly #ordinals = new Map<string, number>();
  readonly #facts: ItemFacts[] = [];
  readonly #dependents: number[][] = [];
  /** The last item that somebody had to state for one to be there. */
  readonly #stated: number[] = [];
  /** Who added an item to the run; null: whoever submitted it. */
  readonly #addedBy: (string | null)[] = [];
  readonly #open: number[] = [];
  readonly #counts = new Map<ItemState, number>();
  #parts = 0;
  #hasLocks = false;
  #hasApprovals = false;
  #hasGrown = false;

  constructor(plan: FrozenPlan, stored: ReadonlyMap<number, ItemFacts>, parts: readonly FrozenPart[] = []) {
    this.plan = plan;
    this.#agents = { ...plan.agents };
    this.#add(plan.items, stored, null);
    for (const part of parts) this.append(part, stored);
  }

  /** Takes up the run's next part. Says which of its items wait for nothing, and which can never start. */
  append(
    part: FrozenPart,
    stored: ReadonlyMap<number, ItemFacts> = new Map(),
  ): { readonly free: readonly number[]; readonly doomed: readonly Doomed[] } {
    this.#parts++;
    Object.assign(this.#agents, part.agents);
    return this.#add(part.items, stored, part.actor ?? null);
  }

  #add(
    items: readonly FrozenItem[],
    stored: ReadonlyMap<number, ItemFacts>,
    actor: string | null,
  ): ReturnType<PlanGraph['append']> {
    const first = this.#items.length;
    const doomed: Doomed[] = [];
    for (const item of items) {
      const i = this.#items.length;
      this.#items.push(item);
      this.#ordinals.set(item.id, i);
      this.#dependents.push([]);
      const sources = [item.repeats?.item, item.grownBy].flatMap((id) =>
        id === undefined ? [] : [this.ordinal(id)],
      );
      const [source] = sources;
      this.#stated.push(source === undefined ? i : Math.max(...sources.map((each) => this.stated(each))));
      this.#addedBy.push(source === undefined ? actor : this.addedBy(source));
      this.#open.push(item.dependsOn.length);
      const facts = stored.get(i) ?? FRESH;
      this.#facts.push(facts);
      this.#counts.set(facts.state, this.count(facts.state) + 1);
      if (item.locks.length > 0) this.#hasLocks = true;
      if (item.approval !== undefined) this.#hasApprovals = true;
      if (item.growth !== undefined || facts.settledBy !== null || facts.growthFault !== null)
        this.#hasGrown = true;
    }
    for (let d = first; d < this.#items.length; d++) {
      for (const id of this.item(d).dependsOn) {
        const i = this.ordinal(id);
        this.#dependents[i]?.push(d);
        const facts = this.facts(i);
        if (this.frees(i, d, facts)) this.#open[d] = this.open(d) - 1;
        else if (ITEM_TERMINAL.has(facts.state)) doomed.push({ ordinal: d, because: id });
      }
    }
    const free = this.#items.slice(first).flatMap((_, k) => (this.open(first + k) === 0 ? [first + k] : []));
    return { free, doomed };
  }

  /** True when any item of the plan takes locks. */
  get hasLocks(): boolean {
    return this.#hasLocks;
  }

  /** True when people decide any item of the plan. */
  get hasApprovals(): boolean {
    return this.#hasApprovals;
  }

  /** Parts taken up so far. */
  get parts(): number {
    return this.#parts;
  }

  get size(): number {
    return this.#items.length;
  }

  get items(): readonly FrozenItem[] {
    return this.#items;
  }

  agent(hash: ContentHash): AgentDefinition | undefined {
    return this.#agents[hash];
  }

  has(id: string): boolean {
    return this.#ordinals.has(id);
  }

  ordinal(id: string): number {
    const i = this.#ordinals.get(id);
    if (i === undefined) throw new PalisadeError('not_found', `no item ${id}`);
    return i;
  }

  item(i: number): FrozenItem {
    const item = this.#items[i];
    if (item === undefined) throw new PalisadeError('internal', `no item at ${i}`);
    return item;
  }

  facts(i: number): ItemFacts {
    return this.#facts[i] ?? FRESH;
  }

  /**
   * The last item that somebody had to state for this one to be there, mostly itself: what a run made comes of the item with
   * the rule, and a repetition of what it repeats as well.
   */
  stated(i: number): number {
    return this.#stated[i] ?? i;
  }

  /**
   * Who added an item to the run from outside, null for whoever submitted it. What a run made itself is of whoever stated the
   * rule, a repetition of whoever stated what it repeats: nobody gets further by what others let grow.
   */
  addedBy(i: number): string | null {
    return this.#addedBy[i] ?? null;
  }

  dependents(i: number): readonly number[] {
    return this.#dependents[i] ?? [];
  }

  /**
   * Whether an item that has ended as `facts` say lets a dependent go on: one that takes any end always;
   * others when it is `done`, but behind a red gate only those that use what it left (DI-175).
   */
  frees(i: number, dependent: number, facts: ItemFacts): boolean {
    if (!ITEM_TERMINAL.has(facts.state)) return false;
    const { atLeastDone, needs } = this.item(dependent);
    if (atLeastDone !== undefined) return true;
    if (facts.state !== 'done') return false;
    return !this.isRed(i, facts) || needs.some((need) => need.from === this.item(i).id);
  }

  /** A gate whose verdict is negative, where that calls for a fix. */
  isRed(i: number, facts: ItemFacts): boolean {
    const { growth } = this.item(i);
    return growth?.kind === 'gate' && growth.onRed === 'spawn-fix' && facts.product?.verify?.passed === false;
  }

  /** Paths of this item's outputs that other items need, or its own rule or shape does. */
  neededOutputs(i: number): string[] {
    const { id, growth, shape } = this.item(i);
    const paths = new Set<string>();
    if (shape?.result !== undefined) paths.add(RESULT_OUTPUT);
    if (growth?.kind === 'spawn') paths.add(growth.from);
    for (const dependent of this.dependents(i))
      for (const { from, select } of this.item(dependent).needs)
        if (from === id && select.kind === 'output') paths.add(select.path);
    return [...paths];
  }

  /** Dependencies that have not let this item go on yet. */
  open(i: number): number {
    return this.#open[i] ?? 0;
  }

  count(state: ItemState): number {
    return this.#counts.get(state) ?? 0;
  }

  /**
   * True when the run has done what it was to do, all items having ended: every one is `done`, and none of
   * them a red gate, or another's good end counts instead.
   */
  isGood(factsOf: FactsOf): boolean {
    if (!this.#hasGrown) return this.#items.every((_, i) => factsOf(i).state === 'done');
    return this.#items.every((_, i) => this.isGoodEnd(i, factsOf));
  }

  /** Whether an item's end is good, or that of the item which counts instead. */
  isGoodEnd(item: number, factsOf: FactsOf): boolean {
    let i = item;
    for (let left = this.size; left > 0; left--) {
      const facts = factsOf(i);
      if (facts.settledBy === null)
        return facts.state === 'done' && facts.growthFault === null && !this.isRed(i, facts);
      i = this.ordinal(facts.settledBy);
    }
    return false;
  }

  /** Applies one committed change: it was checked before it was committed, and is a fact now. */
  apply(i: number, next: ItemFacts): void {
    const before = this.facts(i);
    if (before.state !== next.state) {
      this.#counts.set(before.state, this.count(before.state) - 1);
      this.#counts.set(next.state, this.count(next.state) + 1);
      if (ITEM_TERMINAL.has(next.state))
        for (const d of this.dependents(i)) if (this.frees(i, d, next)) this.#open[d] = this.open(d) - 1;
    }
    if (next.settledBy !== null || next.growthFault !== null) this.#hasGrown = true;
    this.#facts[i] = next;
  }
}
