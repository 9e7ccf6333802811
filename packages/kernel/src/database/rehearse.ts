import type { Database, WriteTx } from './database.ts';

class Rehearsed<T> extends Error {
  readonly answer: T;

  constructor(answer: T) {
    super('rehearsed');
    this.answer = answer;
  }
}

/** What a unit of work would answer now: its body runs, and everything it wrote is undone. Raises what the body raises. */
export async function rehearse<T>(database: Database, body: (tx: WriteTx) => Promise<T>): Promise<T> {
  try {
    return await database.write(
      async (tx) => {
        throw new Rehearsed(await body(tx));
        // What is undone grants nothing.
      },
      { whilePaused: true },
    );
  } catch (error) {
    if (error instanceof Rehearsed) return error.answer as T;
    throw error;
  }
}
