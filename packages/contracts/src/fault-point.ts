import { appendFileSync } from 'node:fs';

/*
 * Fault points let a test kill this process at a named place. `PALISADE_FAULT=<name>` (or
 * `<name>#<n>` for the n-th passage) makes the process send itself SIGKILL there, `stop:<name>`
 * SIGSTOP: it stands still, as on an overloaded machine, until somebody continues it. The file that
 * `PALISADE_FAULT_SIGN` names gets a line first, so that a test can tell its fault from any other end.
 * Without the variable a fault point is one comparison.
 */
const armed = process.env['PALISADE_FAULT'];
const sign = process.env['PALISADE_FAULT_SIGN'];
const isStop = armed?.startsWith('stop:') === true;
const [armedName, armedCount] = armed === undefined ? [] : armed.replace(/^stop:/, '').split('#');
let passages = 0;

/** Places of housekeeping, which no run passes. */
const HOUSEKEEPING_POINTS = ['retire.after-mark', 'retire.in-removal', 'collect.in-trash'] as const;
/** Places that only an installation with a timestamp authority or witnesses passes. */
const ATTESTATION_POINTS = ['attest.before-commit'] as const;

/** The place that only an engine with an authorizer passes: decided, and nothing of it committed. */
const AUTHORITY_POINTS = ['authorize.after-decision'] as const;

/** Places that only a run which grows passes. */
export const GROWTH_POINTS = [
  'grow.before-commit',
  'grow.after-commit',
  'extend.before-commit',
  'extend.after-commit',
] as const;

/** Places that only a backup passes, in order; a test of their own walks them. */
export const BACKUP_POINTS = [
  'backup.before-image',
  'backup.after-image',
  'backup.in-blobs',
  'backup.before-complete',
  'backup.before-publish',
  'backup.after-publish',
  'backup.in-retention',
] as const;

/** Places that only a restoration passes, in order. */
export const RESTORE_POINTS = ['restore.in-blobs', 'restore.before-publish'] as const;

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
  'seal.before-checkpoint',
  'seal.after-publish',
] as const;

/** Places passed by whoever answers what a person is asked; a test of their own walks them. */
export const REQUEST_POINTS = [
  'answer.before-commit',
  'answer.after-commit',
  'decide.before-commit',
  'decide.after-commit',
] as const;

/** Places that only a run with messages to its agents passes; a test of their own walks them. */
export const CHANNEL_POINTS = [
  'send.after-commit',
  'deliver.before-hand-on',
  'deliver.before-record',
] as const;

/** Places of schedules, which a run that somebody submits does not pass. */
export const SCHEDULE_POINTS = ['schedule.before-commit', 'schedule.after-commit'] as const;

/** Places of the delivery of messages, which a run without notifications does not pass. */
export const WEBHOOK_POINTS = ['webhook.claimed', 'webhook.after-answer'] as const;

/** Places that the guardian of a job passes; a test of their own walks them. */
export const JOB_POINTS = [
  'job.after-intent',
  'job.after-spawn',
  'job.after-start',
  'job.after-exit',
] as const;

export type FaultPoint = (
  | typeof FAULT_POINTS
  | typeof HOUSEKEEPING_POINTS
  | typeof GROWTH_POINTS
  | typeof REQUEST_POINTS
  | typeof CHANNEL_POINTS
  | typeof SCHEDULE_POINTS
  | typeof WEBHOOK_POINTS
  | typeof JOB_POINTS
  | typeof ATTESTATION_POINTS
  | typeof AUTHORITY_POINTS
  | typeof BACKUP_POINTS
  | typeof RESTORE_POINTS
)[number];

/** Ends or stops this process when the environment armed exactly this point; otherwise does nothing. */
export function faultPoint(name: FaultPoint): void {
  if (armedName !== name) return;
  passages++;
  // A stopped process passes on when it is continued: only once, or it would stop for ever.
  const isDue = armedCount === undefined ? !isStop || passages === 1 : Number(armedCount) === passages;
  if (!isDue) return;
  if (sign !== undefined) appendFileSync(sign, `${name}\n`);
  process.kill(process.pid, isStop ? 'SIGSTOP' : 'SIGKILL');
}
