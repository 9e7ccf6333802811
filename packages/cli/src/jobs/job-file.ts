import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  JobObservation,
  Name,
  PalisadeError,
  ProducerId,
  ProducerJobId,
  ReporterId,
  SessionProof,
} from '@palisade/contracts';
import { withFileLock } from '@palisade/process';
import * as z from 'zod';
import { readPrivateFile, replacePrivateFile } from '../private-file.ts';
import { JOBS } from '../server/state-directory.ts';
import { UsageError } from '../tree/usage-error.ts';

const Told = JobObservation.omit({ observed_at: true });
const Seen = Told.omit({ sequence: true });
/** With the idempotency key that it is sent under, however often: nobody can know it before. */
const Unsent = Told.extend({ key: z.uuid().default(randomUUID) });
/** What is seen of a process, before it has a number. */
export type Seen = z.infer<typeof Seen>;

/**
 * A job as this machine keeps it, from before it is registered (AC-158, AO-102). Its phase is written before what it says is done:
 *
 *   kept        it may be registered
 *   registered  its guardian may start the process
 *   intended    the process may have been started: never again
 *   started     `process` is it
 *   ended       `end` is how; it is to be told
 */
export const KeptJob = z.strictObject({
  format: z.literal(1),
  origin: z.string(),
  project: Name,
  job_id: ProducerJobId,
  producer_id: ProducerId,
  reporter_id: ReporterId,
  proof: SessionProof,
  program: z.array(z.string()).min(1),
  directory: z.string(),
  environment: z.record(z.string(), z.string()),
  log_limit_bytes: z.int().min(0).max(67_108_864),
  phase: z.enum(['kept', 'registered', 'intended', 'started', 'ended']),
  /** `name`: the pid, its start time and where that is; null where the system does not tell. */
  process: z.strictObject({ pid: z.int(), name: z.string().nullable() }).optional(),
  /** Of the last report that was made. */
  sequence: z.int().nonnegative(),
  /** A report that the server may not have. */
  unsent: Unsent.optional(),
  end: Seen.optional(),
  /** Whether the server has the end, or will never take it. */
  is_told: z.boolean(),
});
export type KeptJob = z.infer<typeof KeptJob>;

const FILE_BYTES = 4 * 1024 * 1024;

/** What one job has on this machine, in a directory that only its owner reaches. */
export class JobFile {
  readonly directory: string;
  readonly #path: string;

  constructor(stateDirectory: string, job: string) {
    if (!ProducerJobId.safeParse(job).success)
      throw new UsageError(`"${job}" is no id of a job`, { next: 'pal job list' });
    this.directory = join(stateDirectory, JOBS, job);
    this.#path = join(this.directory, 'job.json');
  }

  /** Raises `not_found` for a job that was not begun here. */
  read(): KeptJob {
    const text = readPrivateFile(this.#path, FILE_BYTES);
    if (text === undefined)
      throw new PalisadeError('not_found', `no job is kept in ${this.directory}`, { next: 'pal job list' });
    try {
      return KeptJob.parse(JSON.parse(text));
    } catch {
      throw new UsageError(`${this.#path} is no job that this program kept`);
    }
  }

  /** It is on the disk when this returns. */
  keep(kept: KeptJob): void {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    if (!lstatSync(this.directory).isDirectory()) throw new UsageError(`${this.directory} is no directory`);
    replacePrivateFile(this.#path, `${JSON.stringify(kept)}\n`);
  }

  log(name: 'stdout' | 'stderr'): string {
    return join(this.directory, `${name}.log`);
  }

  forget(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Runs `body` while nobody else guards or reports. `lease_held` where somebody does. */
  exclusively<T>(signal: AbortSignal, body: () => Promise<T>): Promise<T> {
    const wish = { busy: 'busy: its guardian is at work', signal, patienceMs: 1_000 };
    return withFileLock(join(this.directory, 'lock'), wish, body);
  }
}
