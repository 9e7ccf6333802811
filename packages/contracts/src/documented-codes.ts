import type { ErrorCode } from './errors.ts';
import { isKeyed, isOfProject, type Operation } from './operation.ts';
import { isPaged } from './page.ts';

/** What any call may be answered with, besides what its operation declares. */
const EVERYWHERE: readonly ErrorCode[] = [
  'invalid_input',
  'authentication_required',
  'operation_not_permitted',
  'not_found',
  'too_large',
  'unsupported_media_type',
  'rate_limited',
  'overloaded',
  'database_busy',
  'storage_full',
  // What is stored is checked when it is read.
  'integrity_mismatch',
  'internal',
];

/** What a call that changes something may be answered with on account of its idempotency key, and of the clock (AC-275). */
const OF_CHANGES: readonly ErrorCode[] = [
  'idempotency_mismatch',
  'idempotency_result_expired',
  'clock_reconciliation_required',
];

/** What a call that changes something in a project may be answered with on account of the project. */
const OF_CHANGES_IN_PROJECTS: readonly ErrorCode[] = ['project_archived'];

/** Every code that a call of an operation may be answered with, sorted: what OpenAPI documents. */
export function documentedCodes(operation: Operation): readonly ErrorCode[] {
  const { errors, effect } = operation;
  const isChange = effect !== 'read';
  return [
    ...new Set([
      ...EVERYWHERE,
      ...(isKeyed(operation) ? OF_CHANGES : []),
      ...(isChange && isOfProject(operation) ? OF_CHANGES_IN_PROJECTS : []),
      ...(isPaged(operation) ? (['invalid_cursor'] as const) : []),
      ...errors,
    ]),
  ].toSorted();
}
