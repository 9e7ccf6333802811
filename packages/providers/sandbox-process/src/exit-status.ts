import { describeErrno } from './exec-result.ts';

/**
 * Signals whose death a shell reports as 128 + number, and the first processes of sandboxes too. Programs use these
 * numbers for nothing else; 129 and 130 they do (git: wrong usage), so those stay exit codes.
 */
const SIGNALS: Readonly<Record<number, NodeJS.Signals>> = {
  4: 'SIGILL',
  5: 'SIGTRAP',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  15: 'SIGTERM',
  24: 'SIGXCPU',
  25: 'SIGXFSZ',
  31: 'SIGSYS',
};

/** The signal an exit status stands for, or null when it is an ordinary exit. */
export function signalOfStatus(exitCode: number): NodeJS.Signals | null {
  return exitCode > 128 ? (SIGNALS[exitCode - 128] ?? null) : null;
}

const MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/No such file or directory/, 'ENOENT'],
  [/Permission denied/, 'EACCES'],
  [/Not a directory/, 'ENOTDIR'],
  [/Exec format error/, 'ENOEXEC'],
  [/Argument list too long/, 'E2BIG'],
  [/Resource temporarily unavailable/, 'EAGAIN'],
  [/Cannot allocate memory/, 'ENOMEM'],
];

/** The error name a system message stands for, or null. */
export function errnoOfMessage(text: string): string | null {
  return MESSAGES.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/**
 * Why `env` could not start the program it was put in front of, or null when its last words are not that.
 * Takes only the kind of error from a message, never its words.
 */
export function faultOfEnv(text: string): string | null {
  const isFault = /^(\/usr\/bin\/)?env: [^\n]*: [A-Z][a-z ]+\n$/.test(text);
  return isFault ? describeErrno(errnoOfMessage(text) ?? 'EACCES') : null;
}
