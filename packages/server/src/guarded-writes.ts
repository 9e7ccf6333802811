import type { Database, WriteTx } from '@palisade/kernel';

/** What a unit of work begins with; raises what stands against it. */
type Check = (tx: WriteTx) => Promise<void>;

/** The same database, but that each unit of work begins with a check, after the writer lock. `checkFor` is asked at the call; undefined: none. */
export function guardedWrites(database: Database, checkFor: () => Check | undefined): Database {
  return {
    dialect: database.dialect,
    isReadOnly: database.isReadOnly,
    read: (body) => database.read(body),
    write: (body, options) => {
      const check = checkFor();
      if (check === undefined) return database.write(body, options);
      return database.write(async (tx) => {
        await check(tx);
        return body(tx);
      }, options);
    },
    onForeignCommit: (listener) => database.onForeignCommit(listener),
    close: () => database.close(),
  };
}
