import { JobObservation, JobState } from '@palisade/contracts';
import type { ReadTx, SqlRow, WriteTx } from '@palisade/kernel';
import type { Job } from './job.ts';

const SELECT = `SELECT j.*, s.principal, s.credential, s.workstation, s.closed_at AS session_closed_at, o.told, o.observed_at
FROM producer_jobs j JOIN harness_sessions s ON s.id = j.session
LEFT JOIN job_observations o ON o.job = j.id AND o.sequence = j.sequence`;

export async function findJob(tx: ReadTx, by: 'id' | 'reporter', value: string): Promise<Job | undefined> {
  const row = await tx.sql.get(`${SELECT} WHERE j.${by} = ?`, [value]);
  return row === undefined ? undefined : jobOf(row);
}

/** True when a process or a reporter is known by such an id. */
export async function isTaken(tx: ReadTx, { producer, reporter }: Job): Promise<boolean> {
  const taken = 'SELECT 1 AS taken FROM producer_jobs WHERE producer = ? OR reporter = ?';
  return (await tx.sql.get(taken, [producer, reporter])) !== undefined;
}

/** Jobs of a project in some states, the greatest ids first, below `after`. */
export async function jobsOf(
  tx: ReadTx,
  project: string,
  {
    states,
    after,
    limit,
  }: {
    readonly states: readonly JobState[] | undefined;
    readonly after: string | undefined;
    readonly limit: number;
  },
): Promise<Job[]> {
  const those =
    states === undefined ? '' : `AND j.state IN (${['NULL', ...states.map(() => '?')].join(', ')})`;
  const rows = await tx.sql.all(
    `${SELECT} WHERE j.project = ? ${after === undefined ? '' : 'AND j.id < ?'} ${those} ORDER BY j.id DESC LIMIT ?`,
    [project, ...(after === undefined ? [] : [after]), ...(states ?? []), limit],
  );
  return rows.map(jobOf);
}

export async function insertJob(tx: WriteTx, job: Job): Promise<void> {
  await tx.sql.run(
    `INSERT INTO producer_jobs (id, project, session, producer, reporter, proof_hash, label, source_revision, source_tree, registered_at, renew_until, expires_at, state, sequence)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
    [
      job.id,
      job.project,
      job.session,
      job.producer,
      job.reporter,
      job.proofHash,
      job.label,
      job.sourceRevision,
      job.sourceTree,
      job.registeredAt,
      job.renewUntil,
      job.expiresAt,
      job.state,
    ],
  );
}

/** What was reported under a number, as canonical JSON. */
export async function toldBefore(tx: ReadTx, job: Job, sequence: number): Promise<string | undefined> {
  const row = await tx.sql.get('SELECT told FROM job_observations WHERE job = ? AND sequence = ?', [
    job.id,
    sequence,
  ]);
  return row === undefined ? undefined : String(row['told']);
}

/** Keeps a report that is the last one from now on. */
export async function insertObservation(
  tx: WriteTx,
  job: Job,
  { sequence, state, told }: { readonly sequence: number; readonly state: JobState; readonly told: string },
): Promise<void> {
  await tx.sql.run('INSERT INTO job_observations (job, sequence, told, observed_at) VALUES (?, ?, ?, ?)', [
    job.id,
    sequence,
    told,
    tx.now,
  ]);
  await tx.sql.run('UPDATE producer_jobs SET state = ?, sequence = ? WHERE id = ?', [
    state,
    sequence,
    job.id,
  ]);
}

function jobOf(row: SqlRow): Job {
  const optional = (column: string): string | null => (row[column] === null ? null : String(row[column]));
  const told = optional('told');
  const closedAt = row['session_closed_at'];
  return {
    id: String(row['id']),
    project: String(row['project']),
    session: String(row['session']),
    principal: String(row['principal']),
    credential: String(row['credential']),
    workstation: String(row['workstation']),
    sessionClosedAt: closedAt === null ? null : Number(closedAt),
    producer: String(row['producer']),
    reporter: String(row['reporter']),
    proofHash: String(row['proof_hash']),
    label: String(row['label']),
    sourceRevision: optional('source_revision'),
    sourceTree: optional('source_tree'),
    registeredAt: Number(row['registered_at']),
    renewUntil: Number(row['renew_until']),
    expiresAt: Number(row['expires_at']),
    state: JobState.parse(row['state']),
    observation:
      told === null
        ? null
        : JobObservation.parse({
            ...(JSON.parse(told) as object),
            sequence: Number(row['sequence']),
            observed_at: Number(row['observed_at']),
          }),
  };
}
