import {
  canonicalJson,
  type ContentHash,
  ITEM_TERMINAL,
  type ItemState,
  type ProductFacts,
} from '@palisade/contracts';
import { FRESH } from '../src/engine/item-facts.ts';
import type { Grown, GrowthMaterial, RunSight, SeenItem } from '../src/growth/growth-rule.ts';
import { ruleOf } from '../src/growth/growth-rules.ts';
import type { FrozenItem } from '../src/plans/frozen-plan.ts';

/** How an item ends when it runs, and what it leaves. */
export interface SimulatedEnd {
  readonly state: 'done' | 'failed' | 'canceled' | 'denied';
  readonly product?: ProductFacts;
  /** What stands in the output a `spawn` rule reads. */
  readonly text?: string;
}

const hash = (letter: string): ContentHash => `sha256:${letter.repeat(64)}`;
export const PATCH: ProductFacts = { result_ref: hash('a') };
export const outputs = (...paths: string[]): ProductFacts => ({
  outputs: paths.map((path) => ({ path, ref: hash('b'), size: 1 })),
});
export const verdict = (passed: boolean, report = ''): ProductFacts => ({ verify: { passed, report } });

/** A frozen item that runs nothing. */
export function frozen(
  id: string,
  dependsOn: readonly string[] = [],
  more: Partial<FrozenItem> = {},
): FrozenItem {
  return {
    id,
    title: '',
    executor: 'local',
    agent: { name: id, hash: hash('0') },
    prompt: null,
    model: null,
    capabilities: [],
    environments: [],
    envNames: [],
    secretRefs: [],
    inputRefs: [],
    dependsOn,
    locks: [],
    needs: [],
    pipeline: [{ kind: 'agent' }, { kind: 'capture', what: 'patch' }, { kind: 'capture', what: 'outputs' }],
    maxAttempts: 1,
    backoffMs: 0,
    timeoutMs: 1000,
    sandbox: {
      provider: 'process',
      isolation: 'unsandboxed-host',
      network: false,
      memory_bytes: 1,
      processes: 1,
      file_bytes: 1,
      output_bytes: 1,
    },
    ...more,
  };
}

/** What a rule makes items of. */
export function template(more: Partial<FrozenItem> = {}) {
  const { id: _id, dependsOn: _dependsOn, needs: _needs, ...rest } = frozen('template', [], more);
  return rest;
}

/**
 * A run in memory that grows by the rules, as the engine has it, without anything that is executed: items end as
 * `endOf` says, some of them in one unit of work as `together` says. What is against the rules of growth is thrown.
 */
export class SimulatedRun {
  readonly #items = new Map<string, { readonly item: FrozenItem; facts: SeenItem['facts'] }>();
  readonly refused: string[] = [];
  /** Every answer of a rule with the end that caused it, as text that can be compared. */
  readonly answers: string[] = [];
  readonly started: string[] = [];
  readonly #maxItems: number;

  constructor(items: readonly FrozenItem[], maxItems = 500) {
    this.#maxItems = maxItems;
    for (const item of items) this.#add(item);
  }

  get ids(): string[] {
    return [...this.#items.keys()];
  }

  item(id: string): FrozenItem {
    return this.#get(id).item;
  }

  facts(id: string): SeenItem['facts'] {
    return this.#get(id).facts;
  }

  states(): Record<string, ItemState> {
    return Object.fromEntries([...this.#items].map(([id, { facts }]) => [id, facts.state]));
  }

  /** Runs to the end; true when the run has done what it was to do. */
  run(endOf: (item: FrozenItem) => SimulatedEnd, together: (ready: number) => number = () => 1): boolean {
    for (;;) {
      const ready = [...this.#items.values()].filter(
        ({ item, facts }) => facts.state === 'pending' && this.#isFree(item),
      );
      if (ready.length === 0) break;
      const batch = ready.slice(0, Math.max(1, together(ready.length)));
      const ended: { readonly id: string; readonly material: GrowthMaterial }[] = [];
      for (const { item } of batch) {
        this.started.push(item.id);
        const isShort =
          item.atLeastDone !== undefined &&
          item.dependsOn.filter((id) => this.facts(id).state === 'done').length < item.atLeastDone;
        const end: SimulatedEnd = isShort ? { state: 'failed' } : endOf(item);
        this.#set(item.id, { state: end.state, product: end.product ?? {} });
        ended.push({ id: item.id, material: end.text === undefined ? {} : { text: end.text } });
      }
      for (const id of this.#skip()) ended.push({ id, material: {} });
      const made = new Map<string, FrozenItem>();
      for (const end of ended) this.#ask(end.id, end.material, made);
    }
    for (const [id, { facts }] of this.#items)
      if (!ITEM_TERMINAL.has(facts.state)) throw new Error(`${id} never ends`);
    return [...this.#items.keys()].every((id) => this.#isGood(id));
  }

  #ask(id: string, material: GrowthMaterial, made: Map<string, FrozenItem>): void {
    const withdrawn: string[] = [];
    const ended = this.#get(id);
    const maker = ended.item.grownBy === undefined ? undefined : this.#items.get(ended.item.grownBy);
    for (const owner of maker === undefined ? [ended] : [ended, maker]) {
      if (owner.item.growth === undefined) continue;
      const rule = ruleOf(owner.item.growth.kind);
      const answer = rule(owner.item, ended, this.#sight(made), material);
      const again = rule(owner.item, ended, this.#sight(made), material);
      if (canonicalJson(answer) !== canonicalJson(again)) throw new Error(`two answers to the end of ${id}`);
      if (answer === null) continue;
      for (const asked of answer.withdraws ?? []) {
        if (ITEM_TERMINAL.has(this.facts(asked).state)) throw new Error(`${asked} has ended already`);
        this.#set(asked, { state: 'canceled', product: {} });
        withdrawn.push(asked);
      }
      this.answers.push(`${id}: ${canonicalJson(answer)}`);
      if ('refused' in answer) {
        this.refused.push(answer.refused);
        this.#set(id, { growthFault: answer.refused });
      } else this.#grow(id, answer, made);
    }
    for (const asked of withdrawn) this.#ask(asked, {}, made);
  }

  #grow(cause: string, { items, settles }: Grown, made: Map<string, FrozenItem>): void {
    const known = new Set([...this.ids, ...items.map(({ id }) => id)]);
    if (known.size !== this.ids.length + items.length) throw new Error(`${cause} makes an id twice`);
    for (const item of items) {
      for (const id of item.dependsOn) if (!known.has(id)) throw new Error(`${item.id} depends on ${id}`);
      for (const { from } of item.needs)
        if (!item.dependsOn.includes(from)) throw new Error(`${item.id} needs ${from}`);
    }
    if (known.size > this.#maxItems) {
      this.#set(cause, { growthFault: 'fuse' });
      return;
    }
    for (const item of items) {
      this.#add(item);
      made.set(item.id, item);
    }
    for (const { item, by } of settles) {
      this.#get(by);
      if (this.facts(item).settledBy !== null) throw new Error(`${item} is settled twice`);
      this.#set(item, { settledBy: by });
    }
  }

  #sight(made: ReadonlyMap<string, FrozenItem>): RunSight {
    return {
      find: (id) => this.#items.get(id),
      // What this very unit of work made has no dependents yet that a rule can see.
      dependents: (id) =>
        made.has(id)
          ? []
          : [...this.#items.values()].filter(({ item }) => item.dependsOn.includes(id) && !made.has(item.id)),
    };
  }

  /** Whether an end lets a dependent go on; see `PlanGraph.frees`. */
  #frees(id: string, dependent: FrozenItem): boolean {
    const { item, facts } = this.#get(id);
    if (!ITEM_TERMINAL.has(facts.state)) return false;
    if (dependent.atLeastDone !== undefined) return true;
    if (facts.state !== 'done') return false;
    return !this.#isRedGate(item, facts) || dependent.needs.some((need) => need.from === id);
  }

  #isRedGate({ growth }: FrozenItem, { product }: SeenItem['facts']): boolean {
    return growth?.kind === 'gate' && growth.onRed === 'spawn-fix' && product?.verify?.passed === false;
  }

  #isFree(item: FrozenItem): boolean {
    return item.dependsOn.every((id) => this.#frees(id, item));
  }

  #skip(): string[] {
    const skipped: string[] = [];
    for (let goesOn = true; goesOn; ) {
      goesOn = false;
      for (const { item, facts } of this.#items.values()) {
        const isDoomed = item.dependsOn.some(
          (id) => ITEM_TERMINAL.has(this.facts(id).state) && !this.#frees(id, item),
        );
        if (facts.state !== 'pending' || !isDoomed) continue;
        this.#set(item.id, { state: 'skipped' });
        skipped.push(item.id);
        goesOn = true;
      }
    }
    return skipped;
  }

  #isGood(first: string): boolean {
    for (let id = first, left = this.#items.size; left > 0; left--) {
      const { item, facts } = this.#get(id);
      if (facts.settledBy === null)
        return facts.state === 'done' && facts.growthFault === null && !this.#isRedGate(item, facts);
      id = facts.settledBy;
    }
    return false;
  }

  #add(item: FrozenItem): void {
    this.#items.set(item.id, { item, facts: FRESH });
  }

  #get(id: string) {
    const found = this.#items.get(id);
    if (found === undefined) throw new Error(`no item ${id}`);
    return found;
  }

  #set(id: string, change: Partial<SeenItem['facts']>): void {
    const found = this.#get(id);
    this.#items.set(id, { item: found.item, facts: { ...found.facts, ...change } });
  }
}
