import { isAbsolute, normalize } from 'node:path';
import type { ExecResult, ExecSpec } from '@palisade/contracts';
import type { Ended } from './supervise.ts';

/** What a program that never ran reports. `detail` must hold no argument and no environment value. */
export function notStarted(detail: string, durationMs = 0): ExecResult {
  return { ...nothing(durationMs), outcome: 'start_failed', detail };
}

/** What a program that was cancelled before its turn reports. */
export function canceledEarly(): ExecResult {
  return { ...nothing(0), outcome: 'canceled' };
}

function nothing(durationMs: number): Omit<ExecResult, 'outcome'> {
  return {
    exitCode: null,
    signal: null,
    stdout: new Uint8Array(),
    stderr: new Uint8Array(),
    stdoutDropped: 0,
    stderrDropped: 0,
    durationMs,
  };
}

/** The result of a program that ran. The caller has already translated exit codes of its launchers. */
export function toResult(ended: Ended, limit: ExecResult['limit']): ExecResult {
  const stdout = ended.stdout.result();
  const stderr = ended.stderr.result();
  const outcome =
    ended.cause === 'timeout'
      ? 'timed_out'
      : ended.cause === 'cancel'
        ? 'canceled'
        : limit !== undefined
          ? 'limit'
          : ended.signal !== null
            ? 'signaled'
            : ended.exitCode !== null
              ? 'exited'
              : 'start_failed';
  return {
    outcome,
    exitCode: outcome === 'exited' ? ended.exitCode : null,
    signal: ended.signal,
    ...(outcome === 'limit' && limit !== undefined && { limit }),
    stdout: stdout.bytes,
    stderr: stderr.bytes,
    stdoutDropped: stdout.dropped,
    stderrDropped: stderr.dropped,
    durationMs: ended.durationMs,
    ...(ended.hasSurvivors
      ? { detail: 'processes of the program survived SIGKILL' }
      : outcome === 'start_failed' && { detail: 'the program ended without an exit status' }),
  };
}

/** Why a spec cannot be run at all, or null. Says which part is wrong and never quotes it. */
export function specFault(spec: ExecSpec): string | null {
  if (spec.argv[0] === '' || spec.argv.some((word) => word.includes('\0')))
    return 'EINVAL: the program or an argument is empty or holds a NUL byte';
  for (const [name, value] of Object.entries(spec.env))
    if (name === '' || /[=\0]/.test(name) || value.includes('\0'))
      return 'EINVAL: an environment variable has a malformed name or holds a NUL byte';
  const cwd = normalize(spec.cwd ?? '.');
  if (isAbsolute(cwd) || cwd === '..' || cwd.startsWith('../') || cwd.includes('\0'))
    return 'EINVAL: the working directory is not inside the workspace';
  return null;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such program',
  EACCES: 'the program is not executable for the user it would run as',
  ENOTDIR: 'a part of the path is not a directory',
  ENOEXEC: 'the file is not in a format this machine can run',
  E2BIG: 'the arguments and the environment are too large together',
  EAGAIN: 'the limit of processes is reached',
  ENOMEM: 'not enough memory to start a program',
  EINVAL: 'an argument or an environment variable is malformed',
};

/** One line for a system error name, without any value. */
export function describeErrno(errno: string): string {
  return `${errno}: ${REASONS[errno] ?? 'the system refused to start the program'}`;
}
