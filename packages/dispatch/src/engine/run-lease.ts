/** The resource whose lease makes a process the one owner of a run. */
export function runLease(runId: string): string {
  return `run:${runId}`;
}
