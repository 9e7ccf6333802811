export { fsyncDirectory } from './blobs/directory-sync.ts';
export { whileUncollected } from './blobs/blob-collection.ts';
export { blobPath } from './blobs/blob-layout.ts';
export { copyHashing } from './blobs/file-content.ts';
export { Limiter } from './blobs/limiter.ts';
export { type FileBlobStore, fileBlobStore } from './blobs/file-blob-store.ts';
export {
  EgressClient,
  type EgressClientOptions,
  type EgressReply,
  type EgressRequest,
} from './egress/egress-client.ts';
export { fileNamedFiles } from './blobs/named-files.ts';
export {
  aboutNow,
  clockAhead,
  type ClockIncident,
  expiryTime,
  latestClockIncident,
  openClockIncident,
  recoverClock,
} from './database/clock-incidents.ts';
export type * from './database/database.ts';
export { ROLLBACK_MS } from './database/protected-clock.ts';
export type { Migration } from './database/migration.ts';
export { openDatabase } from './database/open-database.ts';
export {
  checkImage,
  estimateImage,
  type ImageFacts,
  openImage,
  openToRead,
  raiseStoredClock,
  settleDatabase,
  writeImage,
} from './database/sqlite/sqlite-image.ts';
export type { DatabaseOptions, OnEvents } from './database/options.ts';
export { rehearse } from './database/rehearse.ts';
export { doublingMs } from './jobs/back-off.ts';
export { JobDesk, type JobDeskOptions } from './jobs/job-desk.ts';
export { jobFigures } from './jobs/job-figures.ts';
export { forgetEndedJobs } from './jobs/ended-jobs.ts';
export { buryLostJobs, type LostJob } from './jobs/lost-jobs.ts';
export {
  answerBefore,
  answeredBefore,
  answerOnce,
  answerOrRehearse,
  type ReceiptKey,
  receiptOf,
} from './receipts/answer-once.ts';
export { forgetStream } from './journal/forget-stream.ts';
export { JournalWatch } from './journal/journal-watch.ts';
export { assertUnused } from './leases/assert-unused.ts';
export { fenceAll } from './leases/fence-all.ts';
export { HeldLease, type HoldOptions, underLease } from './leases/held-lease.ts';
export { BackgroundLoop, type LoopOptions } from './loops/background-loop.ts';
export { NearClock } from './loops/near-clock.ts';
export { compactReceipts, countDueReceipts } from './receipts/receipts.ts';
export { revisionMigrations } from './revisions/revision-migrations.ts';
export {
  giveName,
  latestRevision,
  listNames,
  listRevisions,
  type Namespace,
  namesOf,
  ownerOf,
  registerRevision,
  removeName,
  revisionByHash,
  revisionHashes,
} from './revisions/revisions.ts';
export { forgetInstallationKeys, installationKey } from './secrets/installation-key.ts';
export {
  loadMasterKey,
  MASTER_KEY_FILE,
  type MasterKeyOptions,
  readKeyFile,
  replaceMasterKey,
} from './secrets/master-key-source.ts';
export { MasterKey } from './secrets/master-key.ts';
export { opensAll, sealingKeys } from './secrets/opens-all.ts';
export { rekey } from './secrets/rekey.ts';
export { secretMigrations } from './secrets/secret-migrations.ts';
export { formatSecretRef, parseSecretRef, type SecretRef } from './secrets/secret-ref.ts';
export {
  type PutOptions,
  type PutSecret,
  type SecretFacts,
  type SecretStore,
  secretStore,
  type SecretStoreOptions,
} from './secrets/secret-store.ts';
