export { type FileBlobStore, fileBlobStore } from './blobs/file-blob-store.ts';
export { fileNamedFiles } from './blobs/named-files.ts';
export type * from './database/database.ts';
export type { Migration } from './database/migration.ts';
export { openDatabase } from './database/open-database.ts';
export type { DatabaseOptions } from './database/options.ts';
export { buryLostJobs, type LostJob } from './jobs/lost-jobs.ts';
export { compactReceipts } from './receipts/receipts.ts';
