import { bindOperation, type BoundOperation, forgetSink, nameAmongAll } from '@palisade/contracts';
import type { Database } from '@palisade/kernel';
import { removeSink } from './sink-store.ts';

/** The operation on the names of sinks. */
export function sinkOperations(database: Database): BoundOperation[] {
  return [
    bindOperation(forgetSink, async ({ name }, { project }) => ({
      name,
      removed: await database.write((tx) => removeSink(tx, nameAmongAll(project, name))),
    })),
  ];
}
