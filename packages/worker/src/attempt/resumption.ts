import { readFileSync } from 'node:fs';
import type { AttemptSpec } from '@palisade/contracts';
import { readBundle } from '../overlay/overlay.ts';
import { isSessionId, SESSION_BUNDLE } from './agent-session.ts';
import { answeredPrompt } from './answers.ts';
import type { Resumption, RunningAttempt } from './context.ts';

const APPLY_MS = 120_000;

/**
 * Prepares an attempt that goes on with an earlier one: its changes are applied to the workspace again, by a
 * program in the sandbox, and its session, if it has one, is read. Called after the baseline, so that the changes
 * are part of the product. Null when there is nothing to go on with, or it cannot be done: then the
 * agent begins anew in an unchanged workspace, and a warning says why. Its answers it is given in any case.
 */
export async function prepareResumption(
  attempt: Omit<RunningAttempt, 'resumption'>,
): Promise<Resumption | null> {
  const { resume, answers } = attempt.spec;
  if (resume === undefined) return withoutWork(attempt);
  const { session, patch, reason } = resume;
  if (session !== undefined && attempt.harness.sessions === undefined) return withoutWork(attempt);
  const anew = (why: string): Resumption | null => {
    attempt.report.warn(`it began anew instead of going on with attempt ${resume.attempt}: ${why}`);
    return withoutWork(attempt);
  };
  if (session !== undefined && !isSessionId(session.id))
    return anew('its agent gave its session no usable name');
  const resumed = session === undefined ? null : readSession(session);
  attempt.log.phase('resume', `attempt ${resume.attempt}`);
  if (patch !== undefined && !(await applyAgain(attempt, patch.path)))
    return anew('its changes cannot be applied again');
  const prompt =
    answers === undefined
      ? resumedPrompt(attempt.prompt, reason ?? null, patch !== undefined)
      : answeredPrompt(attempt, answers, patch !== undefined);
  return { session: resumed, prompt };
}

function readSession({
  id,
  ref,
  path,
  spent,
}: NonNullable<NonNullable<AttemptSpec['resume']>['session']>): NonNullable<Resumption['session']> {
  const files = readBundle(SESSION_BUNDLE, ref, path).map((file) => ({
    path: file.path,
    text: Buffer.from(file.bytes).toString('utf8'),
  }));
  return { id, files, ...(spent === undefined ? {} : { spent }) };
}

/** Nothing to go on with but the answers, if there are any. */
function withoutWork(attempt: Omit<RunningAttempt, 'resumption'>): Resumption | null {
  const { answers } = attempt.spec;
  return answers === undefined ? null : { session: null, prompt: answeredPrompt(attempt, answers, false) };
}

/** Git changes nothing when it cannot apply all of it. */
async function applyAgain(attempt: Omit<RunningAttempt, 'resumption'>, path: string): Promise<boolean> {
  const out = attempt.log.block('resume');
  const { outcome, exitCode } = await attempt.sandbox.exec({
    argv: ['git', 'apply', '--whitespace=nowarn', '-'],
    env: attempt.env,
    stdin: readFileSync(path),
    timeoutMs: Math.min(APPLY_MS, attempt.stop.remainingMs()),
    graceMs: attempt.spec.kill_grace_ms,
    signal: attempt.stop.signal,
    onOutput: (stream, bytes) => out.push(stream, bytes),
  });
  out.end();
  return outcome === 'exited' && exitCode === 0;
}

/** The agent knows what it did and not what became of it. */
function resumedPrompt(task: string | null, reason: string | null, hasChanges: boolean): string {
  return [
    `Your work so far was ended before it was accepted${reason === null ? '' : `: ${reason}`}`,
    hasChanges
      ? 'The workspace was made anew and your changes are applied to it again; everything else you left is gone, and no process of yours is running.'
      : 'The workspace was made anew and holds none of your changes; nothing else you left is there either, and no process of yours is running.',
    'Go on until the task is done.',
    ...(task === null ? [] : [`The task:\n\n${task}`]),
  ].join('\n\n');
}
