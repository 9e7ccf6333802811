import { appendFileSync } from 'node:fs';
import { foreignFault, isPalisadeError } from '@palisade/contracts';

/** The log of a control plane's engines and of what went wrong beside the answers of its commands. */
export interface EngineLog {
  readonly line: (message: string) => void;
  /** `about` names the run or attempt, or is empty. */
  readonly fault: (error: unknown, about: string) => void;
}

export function engineLog(path: string): EngineLog {
  const line = (message: string): void => {
    try {
      appendFileSync(path, `${new Date().toISOString()} ${process.pid} ${message}\n`, { mode: 0o600 });
    } catch {
      // A full disk is a fault like any other: the process outlives it, and the line is lost.
    }
  };
  return { line, fault: (error, about) => line(`fault ${about}: ${describeFault(error)}`) };
}

/** Ours with its text, a foreign error by its named fields and where it came from (FF-129). */
export function describeFault(error: unknown): string {
  if (isPalisadeError(error)) return `${error.code}: ${error.message}`;
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return [foreignFault(error), ...stack.split('\n').filter((line) => /^\s+at /.test(line))].join('\n');
}
