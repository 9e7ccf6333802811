import {
  type BlockEvidence,
  contentHash,
  faultPoint,
  limits,
  PalisadeError,
  type PipelineBlock,
  quotePath,
  type Usage,
} from '@palisade/contracts';
import { maskedStatus } from '../script/masked-status.ts';
import { runScript } from '../script/run-script.ts';
import { strictScript } from '../script/shell.ts';
import { addUsage, runAgent } from './agent-block.ts';
import { captureOutputProducts, capturePatchProduct, PARTIAL_CAPTURE_MS } from './capture.ts';
import type { RunningAttempt } from './context.ts';
import { hintAtDenial } from './denial-hint.ts';
import { type Ending, endingOfError, endingOfProgram, endingOfStop, SUCCEEDED } from './ending.ts';
import { ASKS, forgetQuestion, hasQuestion, takeQuestion } from './question.ts';

/*
 * The blocks of an attempt, in order (DI-112 … DI-114).
 *
 * An agent or a gate that does not end well ends the attempt; so does a capture that fails, because
 * a lost product is never a success, and so does an agent that asks a person (DI-119). A self-check only gives a verdict. Whatever ends the attempt
 * early, the captures its pipeline would have made are made once more as far as they go: a failed
 * attempt keeps its evidence. The last patch and outputs win, the first verdict wins.
 */

const PATCH: PipelineBlock = { kind: 'capture', what: 'patch' };

/** What the pipeline leaves besides what it reported. */
export interface PipelineEnd {
  readonly ending: Ending;
  readonly summary: string | undefined;
  readonly usage: Usage | undefined;
}

export async function runPipeline(
  attempt: RunningAttempt,
  blocks: readonly PipelineBlock[],
): Promise<PipelineEnd> {
  let ending: Ending | null = null;
  let summary: string | undefined;
  let usage: Usage | undefined;
  let agents = 0;
  /** What was captured since the agent last ran. */
  const captured = new Set<string>();
  for (const [ordinal, block] of blocks.entries()) {
    ending ??= attempt.stop.cause === null ? null : endingOfStop(attempt.stop.cause);
    if (ending !== null) {
      const isLate = block.kind === 'capture' && !captured.has(block.what);
      if (!isLate) skip(attempt, block, ordinal);
      continue;
    }
    const startedAt = Date.now();
    try {
      switch (block.kind) {
        case 'agent': {
          attempt.log.phase('agent');
          if (agents++ === 0) faultPoint('worker.before-agent');
          captured.clear();
          forgetQuestion(attempt);
          const run = await runAgent(attempt, ordinal, agents === 1 ? attempt.resumption : null);
          if (agents === 1) faultPoint('worker.after-agent');
          summary = run.summary ?? summary;
          usage = addUsage(usage, run.usage);
          ending = attempt.stop.cause === null && hasQuestion(attempt) ? ASKS : run.ending;
          break;
        }
        case 'script':
          ending =
            block.lens === 'verify'
              ? await verify(attempt, block, ordinal)
              : await gate(attempt, block, ordinal);
          break;
        case 'capture':
          ending = await capture(attempt, block.what, ordinal, null);
          if (ending === null || attempt.stop.cause === null) captured.add(block.what);
          break;
      }
    } catch (error) {
      ending = await broken(attempt, block, ordinal, startedAt, error);
    }
  }
  ending ??= attempt.stop.cause === null ? null : endingOfStop(attempt.stop.cause);
  if (ending !== null) {
    const asks = ending === ASKS;
    // What the agent changed before it asked is what it goes on with, whatever its pipeline captures.
    const failure = await captureLate(attempt, asks ? [...blocks, PATCH] : blocks, captured);
    if (asks) ending = failure ?? takeQuestion(attempt);
  }
  return { ending: ending ?? SUCCEEDED, summary, usage };
}

/**
 * A sandbox or harness that breaks in the middle of a block ends the attempt and not what the workspace
 * holds by then: whatever may still run in there is ended, and the captures go on.
 */
async function broken(
  attempt: RunningAttempt,
  block: PipelineBlock,
  ordinal: number,
  startedAt: number,
  error: unknown,
): Promise<Ending> {
  const ending = endingOfError(error);
  attempt.report.block({
    kind: evidenceKind(block),
    ordinal,
    status: 'failed',
    duration_ms: Date.now() - startedAt,
    ...(ending.reason === undefined ? {} : { detail: ending.reason }),
  });
  await attempt.sandbox.destroy().catch(() => {});
  return ending;
}

/**
 * Saves what the pipeline had not captured yet, and gives the first failure: it ends an attempt that only asks,
 * and changes nothing about any other ending. While
 * the attempt may still run it takes its time, a stopped one has {@link PARTIAL_CAPTURE_MS} for all.
 */
async function captureLate(
  attempt: RunningAttempt,
  blocks: readonly PipelineBlock[],
  captured: Set<string>,
): Promise<Ending | null> {
  let until: number | null = null;
  let first: Ending | null = null;
  for (const [ordinal, block] of blocks.entries()) {
    if (block.kind !== 'capture' || captured.has(block.what)) continue;
    captured.add(block.what);
    let failure: Ending | null = null;
    if (attempt.stop.cause === null) failure = await capture(attempt, block.what, ordinal, null);
    // A stop in the middle of it ends the unhurried way, not the attempt to save something.
    if (attempt.stop.cause !== null) {
      until ??= Date.now() + PARTIAL_CAPTURE_MS;
      failure = await capture(attempt, block.what, ordinal, until);
    }
    if (failure?.reason !== undefined)
      attempt.report.warn(`the ${block.what} could not be saved: ${failure.reason}`);
    first ??= failure;
  }
  return first;
}

type Script = Extract<PipelineBlock, { kind: 'script' }>;

async function gate(attempt: RunningAttempt, block: Script, ordinal: number): Promise<Ending | null> {
  attempt.log.phase('script', `gate ${ordinal}`);
  const shell = await attempt.shell();
  const masks = maskedStatus(block.command, shell.isBash);
  if (masks.length > 0)
    attempt.report.warn(`the status of gate ${ordinal} may not be its command's own: ${masks.join('; ')}`);
  const argv = strictScript(shell, block.command);
  const { result, status, tail } = await runScript(
    attempt,
    `gate-${ordinal}`,
    argv,
    block.timeout_ms ?? limits.scriptMs,
  );
  hintAtDenial(attempt, `gate ${ordinal}`, result, tail);
  const ending = endingOfProgram(result, `gate ${ordinal}`, attempt.stop.cause);
  attempt.report.block({
    kind: 'script',
    ordinal,
    status,
    ...(result.exitCode === null ? {} : { exit_code: result.exitCode }),
    duration_ms: result.durationMs,
    ...(ending?.reason === undefined ? {} : { detail: ending.reason }),
  });
  return ending;
}

/**
 * The self-check (DI-124). It passes only when the program ended by itself with status 0 and no
 * word of its command line could have hidden a failure (FF-140). Only a stop of the whole attempt
 * makes it end the attempt.
 */
async function verify(attempt: RunningAttempt, block: Script, ordinal: number): Promise<Ending | null> {
  attempt.log.phase('verify');
  const shell = await attempt.shell();
  const masks = maskedStatus(block.command, shell.isBash);
  const argv = strictScript(shell, block.command);
  const { result, status, tail } = await runScript(
    attempt,
    'verify',
    argv,
    block.timeout_ms ?? limits.verifyMs,
  );
  hintAtDenial(attempt, 'the self-check', result, tail);
  const endedWell = result.outcome === 'exited' && result.exitCode === 0;
  const { tests, product } = attempt.report;
  const doubts = [...masks, ...(tests === null || tests.gone.length === 0 ? [] : [goneText(tests.gone)])];
  const passed = endedWell && doubts.length === 0;
  const reason = endingOfProgram(result, 'the self-check', attempt.stop.cause)?.reason;
  const head = [
    ...(reason === undefined ? [] : [`${reason}.`]),
    ...(endedWell && !passed ? [`not counted as passed: ${doubts.join('; ')}.`] : []),
  ];
  if (endedWell && !passed)
    attempt.report.warn(`the self-check exited 0 but is not counted as passed: ${doubts.join('; ')}`);
  if (attempt.report.product.verify === undefined) {
    // The end of the output is kept when the whole is too long, and the verdict's reason is its end.
    attempt.report.verdict({
      passed,
      report: [tail.trimEnd(), ...head].filter((text) => text !== '').join('\n'),
      duration_ms: result.durationMs,
      about: {
        command: contentHash(block.command),
        ...(product.result_ref === undefined ? {} : { patch: product.result_ref }),
        ...(tests === null
          ? {}
          : { tests: { count: tests.count, gone: tests.gone.length, hash: tests.hash } }),
      },
    });
  }
  attempt.report.block({
    kind: 'verify',
    ordinal,
    status,
    ...(result.exitCode === null ? {} : { exit_code: result.exitCode }),
    duration_ms: result.durationMs,
    ...(head.length === 0 ? {} : { detail: head.join(' ') }),
  });
  return attempt.stop.cause === null ? null : endingOfStop(attempt.stop.cause);
}

/**
 * One capture. Null when it succeeded, else the ending it asks for.
 *
 * @param until when a stopped attempt has to be done with it; null while the attempt runs
 */
async function capture(
  attempt: RunningAttempt,
  what: 'patch' | 'outputs',
  ordinal: number,
  until: number | null,
): Promise<Ending | null> {
  attempt.log.phase('capture', until === null ? what : `${what} (partial)`);
  const startedAt = Date.now();
  const evidence = (status: BlockEvidence['status'], detail: string): void =>
    attempt.report.block({
      kind: 'capture',
      ordinal,
      status,
      duration_ms: Date.now() - startedAt,
      detail: until === null ? detail : `partial, ${detail}`,
    });
  try {
    if (what === 'patch') {
      faultPoint('worker.before-capture');
      const hash = await within(until, capturePatchProduct(attempt, until));
      faultPoint('worker.after-capture');
      evidence('ok', hash ?? 'no change');
    } else {
      const count = await within(until, captureOutputProducts(attempt, until));
      evidence('ok', `${count} outputs`);
    }
    return null;
  } catch (error) {
    const stopped = until === null && attempt.stop.cause !== null;
    const ending = stopped ? endingOfStop(attempt.stop.cause) : captureFailure(error);
    evidence(stopped ? 'canceled' : 'failed', ending.reason ?? what);
    return ending;
  }
}

/** The engine kills a worker that does not come to its end; a result without a product is better than none. */
async function within<T>(until: number | null, work: Promise<T>): Promise<T> {
  if (until === null) return work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const tooLate = (): void => reject(new PalisadeError('timed_out', 'saving it took too long'));
    timer = setTimeout(tooLate, Math.max(1, until - Date.now()));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}

function captureFailure(error: unknown): Ending {
  const ending = endingOfError(error);
  return ending.code === 'internal' ? { ...ending, code: 'capture_failed' } : ending;
}

function skip(attempt: RunningAttempt, block: PipelineBlock, ordinal: number): void {
  attempt.report.block({ kind: evidenceKind(block), ordinal, status: 'skipped', duration_ms: 0 });
}

function evidenceKind(block: PipelineBlock): BlockEvidence['kind'] {
  return block.kind === 'script' && block.lens === 'verify' ? 'verify' : block.kind;
}

/** Tests that a self-check did not run because they are not there any more (FF-143). */
function goneText(gone: readonly string[]): string {
  const named = gone.slice(0, 5).map(quotePath).join(', ');
  const more = gone.length > 5 ? ` and ${gone.length - 5} more` : '';
  return `${gone.length === 1 ? 'a test file of the base is' : `${gone.length} test files of the base are`} gone or empty: ${named}${more}`;
}
