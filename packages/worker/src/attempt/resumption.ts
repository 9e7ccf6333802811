import { readFileSync } from 'node:fs';
import { readBundle } from '../overlay/overlay.ts';
import { isSessionId, SESSION_BUNDLE } from './agent-session.ts';
import type { Resumption, RunningAttempt } from './context.ts';

const APPLY_MS = 120_000;

/**
 * Prepares a retry that goes on with an earlier attempt: its changes are applied to the workspace again, by a
 * program in the sandbox, and its session is read. Called after the baseline, so that the changes are part
 * of the product. Null when there is nothing to go on with, or it cannot be done: then the
 * agent begins anew in an unchanged workspace, and a warning says why.
 */
export async function prepareResumption(
  attempt: Omit<RunningAttempt, 'resumption'>,
): Promise<Resumption | null> {
  const { resume } = attempt.spec;
  if (resume === undefined || attempt.harness.sessions === undefined) return null;
  const { session, patch, reason } = resume;
  const anew = (why: string): null => {
    attempt.report.warn(`it began anew instead of going on with attempt ${resume.attempt}: ${why}`);
    return null;
  };
  if (!isSessionId(session.id)) return anew('its agent gave its session no usable name');
  const files = readBundle(SESSION_BUNDLE, session.ref, session.path).map(({ path, bytes }) => ({
    path,
    text: Buffer.from(bytes).toString('utf8'),
  }));
  attempt.log.phase('resume', `attempt ${resume.attempt}`);
  if (patch !== undefined && !(await applyAgain(attempt, patch.path)))
    return anew('its changes cannot be applied again');
  return {
    session: { id: session.id, files, ...(session.spent === undefined ? {} : { spent: session.spent }) },
    prompt: resumedPrompt(attempt.prompt, reason ?? null, patch !== undefined),
  };
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
