import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callerOf, type BlobStore, type OperationCaller } from '@palisade/contracts';
import {
  type Database,
  type FileBlobStore,
  fileBlobStore,
  MasterKey,
  revisionMigrations,
  secretMigrations,
  type SecretStore,
  secretStore,
} from '@palisade/kernel';
import type { OpenDatabase } from '@palisade/kernel/testing';
import { runMigrations } from '@palisade/runs';
import { onTestFinished } from 'vitest';
import { deployOperations } from '../src/deployments/deploy-operations.ts';
import { planMigrations } from '../src/plans/plan-schema.ts';
import { queueOperations } from '../src/queues/queue-operations.ts';
import { type ProjectRegistry, registry } from '../src/registry/registry.ts';

const TEST_KEY = new MasterKey(Buffer.alloc(32, 7));

/** A registry over real stores, as one test sees it. */
export interface TestRegistry {
  /** Of the default project. */
  readonly registry: ProjectRegistry;
  readonly caller: OperationCaller;
  readonly database: Database;
  readonly blobs: BlobStore;
  readonly secrets: SecretStore;
  readonly blobDirectory: string;
}

/** Opens a registry on the current test's database and a blob directory that goes when the test ends. */
export async function openRegistry(
  open: OpenDatabase,
  {
    wallClock,
    masterKey = TEST_KEY,
    throughBlobs = (store) => store,
  }: {
    readonly wallClock?: () => number;
    readonly masterKey?: MasterKey | null;
    /** What the operations see of the blob store. */
    readonly throughBlobs?: (store: FileBlobStore) => FileBlobStore;
  } = {},
): Promise<TestRegistry> {
  const blobDirectory = await mkdtemp(join(tmpdir(), 'palisade-registry-'));
  onTestFinished(() => rm(blobDirectory, { recursive: true, force: true }));
  const migrations = [...revisionMigrations, ...secretMigrations, ...runMigrations, ...planMigrations];
  const database = await open(wallClock === undefined ? { migrations } : { migrations, wallClock });
  const blobs = throughBlobs(fileBlobStore(blobDirectory));
  const secretsOf = (project: string) => secretStore({ database, masterKey, project });
  const room = registry({ database, blobs, secrets: secretsOf });
  const bound = [
    ...room.operations,
    ...deployOperations({ database, blobs, secrets: secretsOf }),
    ...queueOperations(database),
  ];
  const caller = callerOf(bound, 'human:ada');
  return {
    registry: room.of('default'),
    caller,
    database,
    blobs,
    secrets: secretsOf('default'),
    blobDirectory,
  };
}
