import { isPalisadeError } from '@palisade/contracts';

/** The resource whose lease makes a process the one owner of a run. */
export function runLease(runId: string): string {
  return `run:${runId}`;
}

/** True of a failure that says that a run is not owned any more: with a clock that is not trusted every lease has run out. */
export function isLeaseLost(error: unknown): boolean {
  return isPalisadeError(error, 'lease_conflict') || isPalisadeError(error, 'clock_reconciliation_required');
}
