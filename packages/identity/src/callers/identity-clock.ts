import { isPalisadeError } from '@palisade/contracts';
import { type Database, expiryTime, NearClock } from '@palisade/kernel';

/**
 * About the time by which credentials expire, for whoever only reads. A control plane that cannot write now cannot tell protected time: then the machine's
 * clock stands in, so that a full disk locks nobody out.
 */
export function identityClock(database: Database, wall: () => number): { now(): Promise<number> } {
  const near = new NearClock(database, wall, expiryTime);
  return {
    now: async () => {
      try {
        return await near.now();
      } catch (error) {
        if (isPalisadeError(error, 'storage_full') || isPalisadeError(error, 'database_busy')) return wall();
        throw error;
      }
    },
  };
}
