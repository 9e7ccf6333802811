export { Attester, type AttesterOptions } from './attestation/attester.ts';
export { httpTimestampAuthority, type HttpTimestampOptions } from './attestation/http-timestamp-authority.ts';
export { httpWitness, type HttpWitnessOptions } from './attestation/http-witness.ts';
export { getDocument, putDocument } from './documents/document-store.ts';
export { AttemptDirectory } from './execution/attempt-directory.ts';
export { brokenEnd } from './execution/attempt-end.ts';
export { sweepAttempts } from './execution/attempt-sweep.ts';
export type {
  AttemptEnd,
  AttemptIntent,
  Execution,
  Executor,
  PreparedAttempt,
} from '@palisade/contracts';
export { isDeadOwner, ownerName } from './execution/lease-owner.ts';
export { isOpenAttempt } from './execution/open-attempt.ts';
export { type WorkerExecutorOptions, workerExecutor } from './execution/worker-executor.ts';
export { abandonedBefore, reachableBlobs } from './retention/reachable-blobs.ts';
export { requiredBlobs } from './retention/required-blobs.ts';
export {
  countDueRuns,
  emptyRun,
  isRetired,
  nextRetired,
  removeParts,
  retireRuns,
} from './retention/retired-runs.ts';
export {
  childRunProduct,
  endedAttempts,
  finishChildRun,
  insertChildRun,
  keepProduct,
  listChildRuns,
  markStarted,
} from './run/child-run-store.ts';
export { runStream } from '@palisade/contracts';
export { type ChildRun, type RootRun, type RunBase, type RunSettings } from './run/run.ts';
export {
  closeRun,
  holdRun,
  hasExtended,
  insertPart,
  type Openness,
  partRefs,
  type RunPart,
  readOpenness,
} from './run/run-parts.ts';
export { IS_AWAKE, pauseRoot, restRun, resumeRoot, wakeQueue } from './run/rest-store.ts';
export { putBreach, putBudget, putSpent, spentByItem, sumOf, usageBy } from './run/usage-store.ts';
export { chosenRunId } from './run/chosen-run-id.ts';
export { ownProducts } from './run/own-products.ts';
export { runMigrations } from './run/run-schema.ts';
export {
  bumpControl,
  findRootRun,
  findRunOf,
  finishRootRun,
  hasOpenRuns,
  insertRootRun,
  listOpenRuns,
  listRootRuns,
  listUnsealedRuns,
  markSealed,
  moveRootRun,
  type OpenRun,
  projectOfRun,
  readControl,
  requestCancel,
  resolveRun,
} from './run/run-store.ts';
export { type EvidenceDeps, evidenceOperations } from './sealing/evidence-operations.ts';
export { sealMigrations } from './sealing/seal-schema.ts';
export {
  findOrigin,
  isActiveKey,
  isRetiredKey,
  knownOrigin,
  listKeys,
  logOrigin,
  rememberKey,
} from './sealing/seal-store.ts';
export { Sealer, type SealerOptions } from './sealing/sealer.ts';
export type { SigningKeys } from './sealing/signing-keys.ts';
