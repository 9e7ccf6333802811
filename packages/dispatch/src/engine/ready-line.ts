/** Items that may start, oldest first. Items that left it are dropped when they reach its head, so a step costs only what it starts. */
export class ReadyLine {
  #items: number[];
  #head = 0;

  constructor(items: readonly number[]) {
    this.#items = [...items];
  }

  push(...items: readonly number[]): void {
    for (const i of items) this.#items.push(i);
  }

  /** Drops leading items that are not `eligible` any more. */
  trim(eligible: (ordinal: number) => boolean): void {
    for (let i = this.#items[this.#head]; i !== undefined && !eligible(i); i = this.#items[this.#head])
      this.#head++;
    if (this.#head < 1024 || this.#head * 2 < this.#items.length) return;
    this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }

  get isEmpty(): boolean {
    return this.#head >= this.#items.length;
  }

  *[Symbol.iterator](): Iterator<number> {
    for (let at = this.#head; at < this.#items.length; at++) yield this.#items[at] ?? 0;
  }
}
