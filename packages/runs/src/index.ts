export { sweepAttempts } from './execution/attempt-sweep.ts';
export { AttemptDirectory } from './execution/attempt-directory.ts';
export type {
  AttemptEnd,
  AttemptIntent,
  Execution,
  Executor,
  PreparedAttempt,
} from './execution/executor.ts';
export { isOpenAttempt } from './execution/open-attempt.ts';
export {
  identify,
  isAlive,
  isDeadOwner,
  ownerName,
  type ProcessIdentity,
} from './execution/process-identity.ts';
export { type WorkerExecutorOptions, workerExecutor } from './execution/worker-executor.ts';
export { getDocument, putDocument } from './documents/document-store.ts';
export { type ChildRun, type RootRun, type RunBase, type RunSettings, runStream } from './run/run.ts';
export { runMigrations } from './run/run-schema.ts';
export {
  bumpControl,
  findRootRun,
  finishChildRun,
  finishRootRun,
  insertChildRun,
  insertRootRun,
  listChildRuns,
  listControl,
  listOpenRuns,
  listRootRuns,
  listUnsealedRuns,
  markSealed,
  moveRootRun,
  readControl,
  requestCancel,
  resolveRun,
} from './run/run-store.ts';
export { type EvidenceDeps, evidenceOperations } from './sealing/evidence-operations.ts';
export { sealMigrations } from './sealing/seal-schema.ts';
export { isActiveKey, isRetiredKey, knownOrigin, logOrigin, rememberKey } from './sealing/seal-store.ts';
export type { SigningKeys } from './sealing/signing-keys.ts';
export { Sealer, type SealerOptions } from './sealing/sealer.ts';
