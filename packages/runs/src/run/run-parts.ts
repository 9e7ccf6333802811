import { type ContentHash, type EventData, PalisadeError, runStream } from '@palisade/contracts';
import type { ReadTx, WriteTx } from '@palisade/kernel';
import { hash, number, optionalNumber, optionalText } from './run-row.ts';

/*
 * What a root run came to consist of after it was submitted (DI-204): parts, counted from 1 without gaps
 * in the order in which they were accepted. Each is a document of the run. Whoever adds one holds the
 * row of the run from before it looks at what there is until its commit, so parts of several writers
 * follow each other, and none comes after the run's end.
 */

/** Events of a ledger that are read at once. */
const PAGE = 500;

/** One part: `cause` is the item whose end made it, null when it came from outside. */
export interface RunPart {
  readonly seq: number;
  readonly ref: ContentHash;
  readonly items: number;
  readonly cause: string | null;
  /** Who added it from outside; null when it came from within. */
  readonly actor: string | null;
}

/** Whether an open-ended run takes more, and how many parts it has. */
export interface Openness {
  readonly isOpenEnded: boolean;
  readonly isClosed: boolean;
  readonly parts: number;
}

/**
 * Holds the row of a run that has not ended until this unit of work commits, so that nobody else adds
 * parts, closes or ends it meanwhile; says what is true of it then. `notify` tells its owner to look.
 * Undefined when the run has ended or does not exist.
 */
export async function holdRun(tx: WriteTx, runId: string, notify: boolean): Promise<Openness | undefined> {
  const held = await tx.sql.run(
    'UPDATE runs SET control_seq = control_seq + ? WHERE id = ? AND finished_at IS NULL',
    [notify ? 1 : 0, runId],
  );
  return held === 0 ? undefined : readOpenness(tx, runId);
}

/** As {@link holdRun} says it, without holding anything. */
export async function readOpenness(tx: ReadTx, runId: string): Promise<Openness> {
  const row = await tx.sql.get(
    `SELECT open_ended, closed_at, (SELECT COALESCE(MAX(seq), 0) FROM run_parts WHERE run_id = runs.id) AS parts
     FROM runs WHERE id = ?`,
    [runId],
  );
  if (row === undefined) throw new PalisadeError('not_found', `no run ${runId}`);
  return {
    isOpenEnded: number(row, 'open_ended') === 1,
    isClosed: optionalNumber(row, 'closed_at') !== null,
    parts: number(row, 'parts'),
  };
}

/** Adds a part to a run whose row is held. */
export async function insertPart(tx: WriteTx, runId: string, part: RunPart): Promise<void> {
  await tx.sql.run(
    'INSERT INTO run_parts (run_id, seq, ref, items, cause, actor) VALUES (?, ?, ?, ?, ?, ?)',
    [runId, part.seq, part.ref, part.items, part.cause, part.actor],
  );
}

/** The documents of a run's parts after one, in order, and who added them from outside. */
export async function partRefs(
  tx: ReadTx,
  runId: string,
  after: number,
): Promise<Pick<RunPart, 'ref' | 'actor'>[]> {
  const rows = await tx.sql.all(
    'SELECT ref, cause, actor FROM run_parts WHERE run_id = ? AND seq > ? ORDER BY seq',
    [runId, after],
  );
  const isUnknown = rows.some((row) => row['cause'] === null && row['actor'] === null);
  const told = isUnknown ? await actorsTold(tx, runId) : undefined;
  return rows.map((row) => {
    const ref = hash(row, 'ref');
    return { ref, actor: optionalText(row, 'actor') ?? told?.get(ref) ?? null };
  });
}

/** Who added which part from outside, by the ledger: of parts that are older than the column `actor`. */
async function actorsTold(tx: ReadTx, runId: string): Promise<ReadonlyMap<ContentHash, string>> {
  const told = new Map<ContentHash, string>();
  for (let after = -1; ; ) {
    const events = await tx.journal.read(runStream(runId), after, PAGE);
    for (const { type, data } of events) {
      if (type !== 'run.extended') continue;
      const { cause, part_ref: ref, actor } = data as EventData<'run.extended'>;
      if (cause === undefined) told.set(ref, actor);
    }
    if (events.length < PAGE) return told;
    after = events.at(-1)?.seq ?? after;
  }
}

/** Whether somebody added to the run from outside. */
export async function hasExtended(tx: ReadTx, runId: string, actor: string): Promise<boolean> {
  return (await partRefs(tx, runId, 0)).some((part) => part.actor === actor);
}

/** Closes an open-ended run whose row is held; false when it was closed before. */
export async function closeRun(tx: WriteTx, runId: string): Promise<boolean> {
  return (
    (await tx.sql.run(
      'UPDATE runs SET closed_at = ? WHERE id = ? AND open_ended = 1 AND closed_at IS NULL AND finished_at IS NULL',
      [tx.now, runId],
    )) === 1
  );
}
