import type { Check, CheckName } from '@palisade/contracts';

/** Problems told in one row; the rest are counted. */
const TOLD = 3;

/** Collects everything wrong that one check finds, so that a row tells more than the first problem (DI-245). */
export class Problems {
  readonly #told: string[] = [];
  #count = 0;

  add(problem: string): void {
    this.#count++;
    if (this.#told.length < TOLD) this.#told.push(problem);
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** The row: failed with what was found, or else what `otherwise` says. */
  row(name: CheckName, otherwise: Omit<Check, 'name'>): Check {
    if (this.#count === 0) return { name, ...otherwise };
    const more = this.#count > this.#told.length ? ` (and ${this.#count - this.#told.length} more)` : '';
    return { name, ok: false, detail: `${this.#told.join('; ')}${more}` };
  }
}
