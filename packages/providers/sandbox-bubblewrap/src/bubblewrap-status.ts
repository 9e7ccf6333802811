import type { Readable } from 'node:stream';
import { type ProcessEntry, readProcess } from '@palisade/process';

/**
 * What bubblewrap says on its status descriptor: first the pid of the sandbox's first process as
 * the host sees it, then, only if the program was really started, its exit status (FF-064).
 */
export class BubblewrapStatus {
  #text = '';
  #init: ProcessEntry | null = null;

  /** Reads from now on; resolves when bubblewrap is gone. */
  listen(stream: Readable): void {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      this.#text += text;
      const pid = this.#number('child-pid');
      if (pid !== null) this.#init ??= readProcess(pid);
    });
    stream.on('error', () => {});
  }

  /** The process that is number 1 inside, or null before there is one. All others inside die with it. */
  get init(): ProcessEntry | null {
    return this.#init;
  }

  /** The program's exit status, or null when it was never started or bubblewrap was killed. */
  get exitCode(): number | null {
    return this.#number('exit-code');
  }

  #number(name: string): number | null {
    const found = new RegExp(`"${name}": ?(\\d+)`).exec(this.#text)?.[1];
    return found === undefined ? null : Number(found);
  }
}

/**
 * Signals whose death a shell reports as 128 + number, and bubblewrap too. Programs use these
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
