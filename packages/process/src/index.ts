export {
  briefName,
  nameProcess,
  ownName,
  pidNamed,
  signalNamed,
  type Verdict,
  verdictOn,
} from './process-name.ts';
export {
  hardLimit,
  hasProcessTable,
  listProcesses,
  ownLineage,
  type ProcessEntry,
  readProcess,
  signalProcess,
  startedWith,
  startTimeNow,
} from './process-table.ts';
export {
  afterFileLock,
  isDiskFull,
  type LockWish,
  makePrivate,
  withFileLock,
  withSharedLock,
} from './file-lock.ts';
export { canTag, processTag } from './process-tag.ts';
export { ProcessTree } from './process-tree.ts';
export { openFiles, type ProcessView, viewProcesses } from './process-view.ts';
