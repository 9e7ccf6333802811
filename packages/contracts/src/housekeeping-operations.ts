import * as z from 'zod';
import { operation } from './operation.ts';
import { Millis } from './schema.ts';

export const collectStorage = operation({
  id: 'storage.collect',
  method: 'POST',
  path: '/v1/storage/collect',
  summary: 'Remove now what housekeeping would remove: expired data, and content nothing refers to',
  effect: 'privileged',
  access: 'system',
  input: z.strictObject({ dry_run: z.boolean().optional() }),
  output: z.strictObject({
    dry_run: z.boolean(),
    /** Runs that ended before this moment are removed; absent when runs are kept for ever. */
    runs_before: Millis.optional(),
    runs: z.int().nonnegative(),
    /** Answers to idempotency keys that were forgotten; the keys stay used. */
    receipts: z.int().nonnegative(),
    /** Versions of secrets whose time to live was over. */
    secrets: z.int().nonnegative(),
    /** Harness sessions that were closed because nothing was changed in them for days. */
    idle_sessions: z.int().nonnegative(),
    /** Directories of ended attempts that a crash left. */
    attempts: z.int().nonnegative(),
    blobs: z.strictObject({
      kept: z.int().nonnegative(),
      removed: z.int().nonnegative(),
      /** Bytes of those removed. */
      bytes: z.int().nonnegative(),
    }),
  }),
  errors: ['lease_held', 'integrity_mismatch'],
});
