import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blobStoreConformance } from '@palisade/contracts/testing';
import { describe, expect, it } from 'vitest';
import { blobPath } from './blob-layout.ts';
import { fileBlobStore } from './file-blob-store.ts';

blobStoreConformance(
  {
    name: 'files',
    open: (directory, key) => fileBlobStore(join(directory, key)),
    damage: (directory, key, hash) => {
      const path = blobPath(join(directory, key), hash);
      chmodSync(path, 0o600);
      writeFileSync(path, 'other bytes');
    },
  },
  { describe, it, expect },
);
