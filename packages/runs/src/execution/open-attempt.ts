import type { Database } from '@palisade/kernel';

/** True while the attempt's end is not committed. */
export async function isOpenAttempt(database: Database, attemptId: string): Promise<boolean> {
  const open = await database.read((tx) =>
    tx.sql.get('SELECT id FROM runs WHERE id = ? AND finished_at IS NULL', [attemptId]),
  );
  return open !== undefined;
}
