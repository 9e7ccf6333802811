import { PalisadeError } from '@palisade/contracts';
import type { SetupScript } from '../overlay/overlay.ts';
import { runScript } from '../script/run-script.ts';
import type { RunningAttempt } from './context.ts';
import { hintAtDenial } from './denial-hint.ts';
import { endingOfProgram } from './ending.ts';

/**
 * Runs the setup scripts of the capabilities one after another in the workspace (DI-107). They share
 * one time limit. The first that does not end well is the end of the attempt: work on a half-made
 * workspace proves nothing (FF-143).
 *
 * @throws PalisadeError `setup_failed`, `start_failed`
 */
export async function runSetup(attempt: RunningAttempt, scripts: readonly SetupScript[]): Promise<void> {
  const until = Date.now() + attempt.spec.setup_timeout_ms;
  for (const [ordinal, { capability, path }] of scripts.entries()) {
    attempt.stop.check();
    attempt.log.phase('setup', capability);
    const left = Math.max(1, until - Date.now());
    const { result, status, tail } = await runScript(
      attempt,
      `setup-${capability}`,
      [(await attempt.shell()).path, path],
      left,
    );
    hintAtDenial(attempt, `the setup of capability ${capability}`, result, tail);
    const ending = endingOfProgram(result, `the setup of capability ${capability}`, null);
    attempt.report.block({
      kind: 'setup',
      ordinal,
      status,
      ...(result.exitCode === null ? {} : { exit_code: result.exitCode }),
      duration_ms: result.durationMs,
      detail: ending?.reason ?? capability,
    });
    attempt.stop.check();
    if (ending === null) continue;
    throw new PalisadeError(
      ending.code === 'start_failed' ? 'start_failed' : 'setup_failed',
      ending.reason ?? `the setup of capability ${capability} failed`,
    );
  }
}
