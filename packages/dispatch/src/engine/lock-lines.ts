/**
 * The lines of one run's items that wait for locks, key by key, in ticket order. Only an item that is
 * first in all of this run's own lines can be first in the global ones, so only those are tried: the
 * cost of a released lock does not grow with the length of its line.
 */
export class LockLines {
  readonly #lines = new Map<string, number[]>();
  readonly #tickets = new Map<number, number>();
  readonly #keysOf: (ordinal: number) => readonly string[];

  constructor(keysOf: (ordinal: number) => readonly string[]) {
    this.#keysOf = keysOf;
  }

  /** Tickets must come in increasing order, as they are drawn. */
  add(ordinal: number, ticket: number): void {
    this.#tickets.set(ordinal, ticket);
    for (const key of this.#keysOf(ordinal)) {
      const line = this.#lines.get(key);
      if (line === undefined) this.#lines.set(key, [ordinal]);
      else line.push(ordinal);
    }
  }

  remove(ordinal: number): void {
    if (!this.#tickets.delete(ordinal)) return;
    for (const key of this.#keysOf(ordinal)) {
      const line = this.#lines.get(key);
      if (line === undefined) continue;
      const at = line.indexOf(ordinal);
      if (at >= 0) line.splice(at, 1);
      if (line.length === 0) this.#lines.delete(key);
    }
  }

  /** Removes every item and gives them in the order of their tickets. */
  clear(): number[] {
    const items = [...this.#tickets].sort((a, b) => a[1] - b[1]).map(([ordinal]) => ordinal);
    this.#tickets.clear();
    this.#lines.clear();
    return items;
  }

  has(ordinal: number): boolean {
    return this.#tickets.has(ordinal);
  }

  get size(): number {
    return this.#tickets.size;
  }

  /** Items first in all their lines, oldest ticket first, with their tickets. */
  heads(): Map<number, number> {
    const heads: [number, number][] = [];
    for (const line of this.#lines.values()) {
      const first = line[0];
      const ticket = first === undefined ? undefined : this.#tickets.get(first);
      if (first === undefined || ticket === undefined) continue;
      if (this.#keysOf(first).every((key) => this.#lines.get(key)?.[0] === first))
        heads.push([first, ticket]);
    }
    return new Map(heads.sort((a, b) => a[1] - b[1]));
  }
}
