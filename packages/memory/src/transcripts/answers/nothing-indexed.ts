import type { MemoryDatabase } from '../../store/memory-database.ts';
import type { SessionFilter } from './session-view.ts';

/** Why nothing can be found: nothing is indexed, or nothing of the machine that is asked for; undefined when something is. */
export function nothingIndexed(database: MemoryDatabase, { machine }: SessionFilter): string | undefined {
  const machines = database
    .all<{ machine: string }>('SELECT DISTINCT machine FROM sessions ORDER BY machine')
    .map((each) => each.machine);
  if (machines.length === 0) return 'no transcript is indexed: pal transcript index';
  return machine === undefined || machines.includes(machine)
    ? undefined
    : `no transcript of ${machine} is indexed; there are those of ${machines.join(', ')}`;
}
