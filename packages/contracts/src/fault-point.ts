/*
 * Fault points let a test kill this process at a named place. `PALISADE_FAULT=<name>` (or
 * `<name>#<n>` for the n-th passage) makes the process send itself SIGKILL there; without the
 * variable a fault point is one comparison.
 */
const armed = process.env['PALISADE_FAULT'];
const [armedName, armedCount] = armed === undefined ? [] : armed.split('#');
let passages = 0;

/** The named places, in the order an attempt passes them. The crash matrix walks this list. */
export const FAULT_POINTS = [
  'submit.before-commit',
  'submit.after-commit',
  'fire.before-intent',
  'fire.after-intent',
  'fire.after-spawn',
  'worker.claimed',
  'worker.workspace-ready',
  'worker.before-agent',
  'worker.after-agent',
  'worker.before-capture',
  'worker.after-capture',
  'worker.before-result',
  'worker.after-result',
  'record.before-ingest',
  'record.after-ingest',
  'record.after-commit',
  'release.before-cleanup',
  'complete.before-commit',
  'complete.after-commit',
  'seal.before-append',
  'seal.after-append',
  'seal.before-publish',
  'seal.after-publish',
] as const;
export type FaultPoint = (typeof FAULT_POINTS)[number];

/** Ends this process with SIGKILL when the environment armed exactly this point; otherwise does nothing. */
export function faultPoint(name: FaultPoint): void {
  if (armedName !== name) return;
  passages++;
  if (armedCount === undefined || Number(armedCount) === passages) process.kill(process.pid, 'SIGKILL');
}
