import type { Database, WriteTx } from '../database/database.ts';

const ASK_MS = 10_000;

/**
 * Protected time as the machine's own clock lets one guess it, for whoever looks again and again what may be due. It
 * says when to look; what is due is decided in a unit of work, by `tx.now`.
 */
export class NearClock {
  readonly #database: Database;
  readonly #wall: () => number;
  readonly #ask: (tx: WriteTx) => Promise<number>;
  #ahead = 0;
  #askAt = Number.NEGATIVE_INFINITY;

  /** `wall` is the machine's clock, Unix ms; `ask` reads another time than protected time. */
  constructor(
    database: Database,
    wall: () => number = Date.now,
    ask: (tx: WriteTx) => Promise<number> = async (tx) => tx.now,
  ) {
    this.#database = database;
    this.#wall = wall;
    this.#ask = ask;
  }

  /** About now, Unix ms: protected time is asked for every ten seconds, and when the machine's clock was turned back. */
  async now(): Promise<number> {
    const wall = this.#wall();
    if (wall >= this.#askAt || wall < this.#askAt - ASK_MS) {
      this.#ahead = (await this.#database.write(this.#ask, { whilePaused: true })) - wall;
      this.#askAt = wall + ASK_MS;
    }
    return wall + this.#ahead;
  }
}
