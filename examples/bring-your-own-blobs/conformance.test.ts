import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { blobStoreConformance } from '@palisade/contracts/testing';
import { describe, expect, it } from 'vitest';
import { sqliteBlobs } from './src/index.ts';

blobStoreConformance(
  {
    name: 'one SQLite file',
    open: (directory, key) => sqliteBlobs(join(directory, key)),
    damage: (directory, key, hash) => {
      const database = new DatabaseSync(join(directory, key, 'blobs.sqlite'));
      database.prepare('UPDATE blobs SET bytes = ? WHERE hash = ?').run(Buffer.from('other bytes'), hash);
      database.close();
    },
  },
  { describe, it, expect },
);
