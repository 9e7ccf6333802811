import { open } from 'node:fs/promises';
import {
  type CallContext,
  isContentHash,
  limits,
  OutputLine,
  PalisadeError,
  type readLog,
} from '@palisade/contracts';
import { AttemptDirectory, childRunProduct, listChildRuns, resolveRun } from '@palisade/runs';
import type * as z from 'zod';
import type { PlanDeps } from './plan-deps.ts';

type Input = z.output<(typeof readLog)['input']>;
type Output = z.output<(typeof readLog)['output']>;

const DEFAULT_BYTES = 1024 * 1024;

/** Whole lines of an attempt's output from a byte offset: from the stored log when it ended, else from the live one. */
export async function logs(deps: PlanDeps, input: Input, { project }: CallContext): Promise<Output> {
  const { attempt, logRef, childId } = await deps.database.read(async (tx) => {
    const run = await resolveRun(tx, project, input.run);
    const known = await tx.sql.get('SELECT ordinal FROM plan_items WHERE run_id = ? AND item_id = ?', [
      run.id,
      input.item,
    ]);
    if (known === undefined)
      throw new PalisadeError('not_found', `run ${run.id} has no item ${input.item}`, {
        next: `palisade show ${run.id}`,
      });
    const attempts = await listChildRuns(tx, run.id, input.item);
    const wanted =
      input.attempt === undefined
        ? attempts.at(-1)
        : attempts.find((child) => child.attempt === input.attempt);
    if (wanted === undefined && input.attempt !== undefined)
      throw new PalisadeError('not_found', `item ${input.item} has no attempt ${input.attempt}`);
    return {
      attempt: wanted?.attempt ?? 0,
      logRef: wanted === undefined ? undefined : (await childRunProduct(tx, wanted.id))?.log_ref,
      childId: wanted?.finishedAt === null ? wanted.id : undefined,
    };
  });
  const offset = input.offset ?? 0;
  const maxBytes = input.max_bytes ?? DEFAULT_BYTES;
  if (isContentHash(logRef)) {
    const kept = await readLines(await deps.blobs.path(logRef), offset, maxBytes);
    return { attempt, ...cut(kept.bytes, offset, kept.asked, true) };
  }
  if (childId === undefined) return { attempt, lines: [], next_offset: offset, complete: attempt > 0 };
  const live = await readLines(new AttemptDirectory(deps.attemptsRoot, childId).logPath, offset, maxBytes);
  return { attempt, ...cut(live.bytes, offset, live.asked, false) };
}

/** About as much as was asked for, but always up to the end of a line: a record of 5 MB is shown like another (FF-074). */
async function readLines(
  path: string,
  offset: number,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly asked: number }> {
  for (let asked = maxBytes; ; asked = Math.min(asked * 4, limits.logRecordBytes)) {
    const bytes = await readRange(path, offset, asked);
    if (bytes.length < asked || asked >= limits.logRecordBytes || bytes.includes(0x0a))
      return { bytes, asked };
  }
}

async function readRange(path: string, offset: number, length: number): Promise<Buffer> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return Buffer.alloc(0);
  try {
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await file.read(buffer, 0, length, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Keeps whole lines only; a line longer than what was asked for is skipped with a note, never cut inside. */
function cut(bytes: Buffer, offset: number, asked: number, isFinal: boolean): Omit<Output, 'attempt'> {
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end === 0 && bytes.length === asked) {
    return {
      lines: [{ at: 0, kind: 'warning', text: `a line longer than ${asked} bytes is not shown` }],
      next_offset: offset + bytes.length,
      complete: false,
    };
  }
  const lines = [];
  for (const text of bytes.subarray(0, end).toString('utf8').split('\n')) {
    if (text === '') continue;
    const parsed = OutputLine.safeParse(safeJson(text));
    lines.push(
      parsed.success ? parsed.data : { at: 0, kind: 'warning' as const, text: 'a damaged line is not shown' },
    );
  }
  return { lines, next_offset: offset + end, complete: isFinal && bytes.length < asked };
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
