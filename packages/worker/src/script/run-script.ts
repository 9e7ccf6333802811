import type { BlockEvidence, ExecResult } from '@palisade/contracts';
import type { RunningAttempt } from '../attempt/context.ts';
import { TailText } from '../output/tail-text.ts';

export interface ScriptRun {
  readonly result: ExecResult;
  readonly status: BlockEvidence['status'];
  /** The end of what it printed on both streams, redacted. */
  readonly tail: string;
}

/** Characters of output kept for a report. */
const TAIL_CHARS = 16_000;

/**
 * The bounded command primitive of setup, gate and self-check (DI-123): in the sandbox, with the
 * attempt's environment, until its own time or the attempt's is up. Never rejects for anything the
 * program does.
 *
 * @param block names its output in the log
 */
export async function runScript(
  attempt: RunningAttempt,
  block: string,
  argv: readonly [string, ...string[]],
  timeoutMs: number,
): Promise<ScriptRun> {
  const out = attempt.log.block(block);
  const tail = new TailText(attempt.redactor, TAIL_CHARS);
  const result = await attempt.sandbox.exec({
    argv,
    env: attempt.env,
    timeoutMs: Math.min(timeoutMs, attempt.stop.remainingMs()),
    graceMs: attempt.spec.kill_grace_ms,
    signal: attempt.stop.signal,
    onOutput: (stream, bytes) => {
      out.push(stream, bytes);
      tail.push(stream, bytes);
    },
  });
  out.end();
  return { result, status: statusOf(result, attempt.stop.cause?.kind), tail: tail.end() };
}

/** The status a block gets for how its program ended. */
export function statusOf(
  result: Pick<ExecResult, 'outcome' | 'exitCode'>,
  stopped: 'canceled' | 'deadline' | 'fault' | undefined,
): BlockEvidence['status'] {
  if (result.outcome === 'exited') return result.exitCode === 0 ? 'ok' : 'failed';
  if (stopped === 'canceled') return 'canceled';
  if (stopped === 'deadline') return 'timed_out';
  if (result.outcome === 'timed_out' || result.outcome === 'canceled') return result.outcome;
  return 'failed';
}
