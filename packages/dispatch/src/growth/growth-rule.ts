import type { FrozenItem } from '../plans/frozen-plan.ts';
import type { ItemFacts } from '../engine/item-facts.ts';

/*
 * How a run grows from within (DI-200). An item may carry a rule (`FrozenItem.growth`). Whenever an item
 * ends (`done`, `failed`, `skipped`, `canceled`, `denied`), two rules are asked, in this order: its own, and
 * that of the item it was made by (`FrozenItem.grownBy`). A rule is pure: what it answers follows from the
 * frozen plan, the facts and the material alone, so asking again after a crash answers the same; the ids it
 * gives are deterministic. It is asked in the unit of work that commits the end, and what it answers is part
 * of that commit or nothing is. Only the growth gate (`growth-gate.ts`) makes items of an answer.
 */

/** An item as a rule sees it. */
export interface SeenItem {
  readonly item: FrozenItem;
  readonly facts: ItemFacts;
}

/** A run as a rule sees it, with the ends of this very unit of work. */
export interface RunSight {
  find(id: string): SeenItem | undefined;
  /** Items that depend on this one directly, in plan order. */
  dependents(id: string): readonly SeenItem[];
}

/** An item and the one whose good end counts instead of its own. */
export interface Settled {
  readonly item: string;
  readonly by: string;
}

/** What a rule wants: new items, which may depend on any item there is or on each other, and whose end they stand in for. */
export interface Grown {
  readonly items: readonly FrozenItem[];
  readonly settles: readonly Settled[];
  /** Approvals that are asked for and on which nothing depends any more. */
  readonly withdraws?: readonly string[];
}

/** The rule cannot do what the plan asked for: the run ends `failed` and says so, e.g. a spawn file that is no list. */
export interface GrowthRefused {
  readonly refused: string;
  readonly withdraws?: readonly string[];
}

/** Content of the output a `spawn` rule reads, read before the unit of work; absent for every other rule. */
export interface GrowthMaterial {
  readonly text?: string;
  /** Why it could not be read. */
  readonly fault?: string;
}

/** One kind of growth. `owner` carries the rule; `ended` is it or an item it made. */
export type GrowthRule = (
  owner: FrozenItem,
  ended: SeenItem,
  run: RunSight,
  material: GrowthMaterial,
) => Grown | GrowthRefused | null;
