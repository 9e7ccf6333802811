import type { EventData } from '@palisade/contracts';

type Report = (problem: string) => void;

/*
 * What a ledger tells of a run's growth. An item that `item.settled` names counts as good when the other one
 * does, once and for all; what an item's growth was refused for can only be made up for by another one.
 * A chain of such items must lead to one that is done.
 */
export class GrowthStory {
  readonly #settledBy = new Map<string, string>();
  readonly #refused = new Set<string>();
  /** Where the chain of an item leads; null when it never ends. Forgotten when a chain grows. */
  readonly #ends = new Map<string, string | null>();
  #submitted = 0;
  readonly #added = new Set<string>();
  #isOpenEnded = false;
  #isClosed = false;

  submit({ items, open_ended: isOpenEnded }: EventData<'run.submitted'>): void {
    this.#submitted += items;
    this.#isOpenEnded = isOpenEnded === true;
  }

  extend({ items, cause }: EventData<'run.extended'>, say: Report): void {
    for (const item of items) {
      if (this.#added.has(item)) say(`item ${item} was added a second time`);
      this.#added.add(item);
    }
    if (cause !== undefined) return;
    if (!this.#isOpenEnded) say('the run was extended from outside although it is not open-ended');
    else if (this.#isClosed) say('the run was extended after it had been closed');
  }

  close(say: Report): void {
    if (!this.#isOpenEnded) say('the run was closed although it is not open-ended');
    else if (this.#isClosed) say('the run was closed a second time');
    this.#isClosed = true;
  }

  settle({ item, by }: EventData<'item.settled'>, say: Report): void {
    if (this.#settledBy.has(item)) say(`item ${item} was settled a second time`);
    this.#settledBy.set(item, by);
    this.#ends.clear();
  }

  refuse(item: string): void {
    this.#refused.add(item);
  }

  /** How many items the run came to have. */
  get items(): number {
    return this.#submitted + this.#added.size;
  }

  get itemsTold(): string {
    const grown = this.#added.size === 0 ? '' : ` and extended by ${this.#added.size}`;
    return `was submitted with ${this.#submitted} item(s)${grown}`;
  }

  /** More could be added from outside. */
  get isOpen(): boolean {
    return this.#isOpenEnded && !this.#isClosed;
  }

  isSettled(item: string): boolean {
    return this.#settledBy.has(item);
  }

  /** Whether the item's end, or the one that counts instead of it, is good. Asked of every item, linear. */
  isGood(item: string, isDone: (item: string) => boolean): boolean {
    const end = this.#endOf(item);
    return end !== null && isDone(end) && !this.#refused.has(end);
  }

  #endOf(item: string): string | null {
    const passed = new Set<string>();
    let at = item;
    let end = this.#ends.get(at);
    while (end === undefined) {
      const by = this.#settledBy.get(at);
      if (by === undefined) end = at;
      else {
        passed.add(at);
        at = by;
        end = passed.has(at) ? null : this.#ends.get(at);
      }
    }
    for (const each of passed) this.#ends.set(each, end);
    return end;
  }

  checkNames(isKnown: (item: string) => boolean, report: Report): void {
    for (const item of this.#added)
      if (!isKnown(item)) report(`item ${item} was added and nothing became of it`);
    for (const [item, by] of this.#settledBy)
      for (const name of [item, by])
        if (!isKnown(name)) report(`item ${item} was settled by ${by}: there is no item ${name}`);
  }
}
