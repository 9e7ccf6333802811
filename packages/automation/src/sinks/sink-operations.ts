import { bindOperation, type BoundOperation, forgetSink } from '@palisade/contracts';
import type { Database } from '@palisade/kernel';
import { removeSink, sinkKey } from './sink-store.ts';

/** The operation on the names of sinks. */
export function sinkOperations(database: Database): BoundOperation[] {
  return [
    bindOperation(forgetSink, async ({ name }, { project }) => ({
      name,
      removed: await database.write((tx) => removeSink(tx, sinkKey(project, name))),
    })),
  ];
}
