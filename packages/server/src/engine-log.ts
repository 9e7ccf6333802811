import { appendFileSync } from 'node:fs';
import { foreignFault, isPalisadeError } from '@palisade/contracts';

/** How often a fault that goes on is written down again: what fails is tried several times a second. */
const AGAIN_MS = 60_000;
const REMEMBERED = 200;

/** The log of a control plane's engines and of what went wrong beside the answers of its commands. */
export interface EngineLog {
  readonly line: (message: string) => void;
  /** `about` names the run or attempt, or is empty. */
  readonly fault: (error: unknown, about: string) => void;
}

export function engineLog(path: string, now: () => number = () => performance.now()): EngineLog {
  const faults = new Map<string, { at: number; unwritten: number }>();
  const line = (message: string): void => {
    try {
      appendFileSync(path, `${new Date().toISOString()} ${process.pid} ${message}\n`, { mode: 0o600 });
    } catch {
      // A full disk is a fault like any other: the process outlives it, and the line is lost.
    }
  };
  const fault = (error: unknown, about: string): void => {
    const text = `fault ${about}: ${describeFault(error)}`;
    const known = faults.get(text);
    if (known !== undefined && now() - known.at < AGAIN_MS) {
      known.unwritten++;
      return;
    }
    if (faults.size >= REMEMBERED) faults.clear();
    faults.set(text, { at: now(), unwritten: 0 });
    const again = known?.unwritten ?? 0;
    line(again === 0 ? text : `${text} (and ${again} times more since the last line)`);
  };
  return { line, fault };
}

/** Ours with its text, a foreign error by its named fields and where it came from (FF-129). */
export function describeFault(error: unknown): string {
  if (isPalisadeError(error)) return `${error.code}: ${error.message}`;
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return [foreignFault(error), ...stack.split('\n').filter((line) => /^\s+at /.test(line))].join('\n');
}
