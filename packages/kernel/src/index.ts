export { type FileBlobStore, fileBlobStore } from './blobs/file-blob-store.ts';
export { fileNamedFiles } from './blobs/named-files.ts';
export type * from './database/database.ts';
