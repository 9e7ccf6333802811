import { basename, join, resolve } from 'node:path';
import {
  ATTEMPT_FILES,
  type AttemptResult,
  faultPoint,
  isPalisadeError,
  type SandboxProvider,
  toPalisadeError,
} from '@palisade/contracts';
import { ownName } from '@palisade/process';
import { release } from '@palisade/workspace';
import { endingOfError } from './attempt/ending.ts';
import { runAttempt } from './attempt/attempt.ts';
import { AttemptReport } from './attempt/report.ts';
import { takeClaim } from './claim.ts';
import { Redactor } from './redaction/redactor.ts';
import { writeResult } from './result-file.ts';
import { readSecretsFromFd } from './secrets-fd.ts';
import { showLife } from './sign-of-life.ts';

/** The descriptor on which the engine hands over the secrets (DI-111). */
export const SECRETS_FD = 3;

/**
 * The whole life of a worker process; the composition root's entry point calls it with its providers
 * and nothing else. Secrets first, then the claim, the attempt, `result.json`. SIGTERM and SIGINT
 * cancel the attempt (DI-122). The exit status is that of {@link exitStatus}; 0 also when the attempt
 * belongs to somebody else or its engine died while handing it over, and 1 when not even a result could be left.
 *
 * @param sandboxes providers an attempt may name
 * @param attemptDir by default the process's first argument
 */
export async function workerMain(
  sandboxes: readonly SandboxProvider[],
  attemptDir: string | undefined = process.argv[2],
): Promise<void> {
  const cancel = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => cancel.abort());
  if (attemptDir === undefined) {
    process.stderr.write('palisade worker: the directory of an attempt is missing\n');
    process.exit(1);
  }
  const dir = resolve(attemptDir);
  let secrets: Record<string, string> = {};
  let fault: unknown;
  try {
    const handedOver = readSecretsFromFd(SECRETS_FD);
    // The engine is gone and its attempt unclaimed: recovery decides, and nothing has been done yet.
    if (handedOver === null) process.exit(0);
    secrets = handedOver;
  } catch (error) {
    fault = error;
  }
  let exitCode = 0;
  try {
    if (takeClaim(dir, { by: 'worker', process: ownName() })) {
      showLife(dir, () => cancel.abort());
      faultPoint('worker.claimed');
      const lastWords = (error: unknown): void => leave(dir, failedResult(dir, secrets, error));
      process.on('uncaughtException', lastWords);
      process.on('unhandledRejection', lastWords);
      const result =
        fault === undefined
          ? await runAttempt({ attemptDir: dir, sandboxes, secrets, signal: cancel.signal })
          : failedResult(dir, secrets, fault);
      faultPoint('worker.before-result');
      await leaveResult(dir, result);
      faultPoint('worker.after-result');
      exitCode = exitStatus(result);
    }
  } catch (error) {
    process.stderr.write(`palisade worker: ${endingOfError(error).reason ?? 'failed'}\n`);
    exitCode = 1;
  }
  process.exit(exitCode);
}

/**
 * What the process's status says of an attempt to whoever has no eyes for its result (DI-103): 0 when it
 * went well or was stopped on request, the status of the agent or gate that failed, 124 when the time of
 * the attempt was up, 1 for everything else.
 */
function exitStatus({ outcome, exit_code: own }: AttemptResult): number {
  if (outcome === 'succeeded' || outcome === 'canceled') return 0;
  if (outcome === 'timed_out') return 124;
  return own === undefined || own === 0 ? 1 : own;
}

/** Writes the result; a workspace that fills the disk makes room for it, because its products are saved already. */
async function leaveResult(dir: string, result: AttemptResult): Promise<void> {
  try {
    writeResult(dir, result);
  } catch (error) {
    if (!isPalisadeError(toPalisadeError(error), 'storage_full')) throw error;
    await release({
      directory: join(dir, ATTEMPT_FILES.workspace),
      stateDir: join(dir, ATTEMPT_FILES.workspaceState),
      readOnlyPaths: [],
      base: { kind: 'empty' },
    });
    writeResult(dir, result);
  }
}

/** The result of an attempt that could not be begun or broke the worker itself. */
function failedResult(dir: string, secrets: Readonly<Record<string, string>>, error: unknown): AttemptResult {
  return new AttemptReport(new Redactor(secrets), null).result(
    { attempt_id: basename(dir) },
    endingOfError(error),
  );
}

function leave(dir: string, result: AttemptResult): never {
  let exitCode = 0;
  try {
    writeResult(dir, result);
  } catch {
    exitCode = 1;
  }
  process.exit(exitCode);
}
