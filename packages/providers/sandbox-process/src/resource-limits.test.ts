import { describe, expect, it } from 'vitest';
import { OutputCapture } from './output-capture.ts';
import { type LimitPlan, nameLimit } from './resource-limits.ts';

const all: LimitPlan = { argv: [], memory: true, processes: true, fileSize: true };
const none: LimitPlan = { argv: [], memory: false, processes: false, fileSize: false };
const counts = (memoryKills: number, refusedForks = 0) => ({ memoryKills, refusedForks });

function ended(exitCode: number | null, signal: NodeJS.Signals | null, words = '') {
  const stderr = new OutputCapture(0);
  stderr.add(Buffer.from(words));
  return { exitCode, signal, stderr };
}

describe('naming the limit that ended a program (FF-062)', () => {
  it('a kill the kernel counted is memory for certain, and only for a program that failed', () => {
    expect(nameLimit(ended(null, 'SIGKILL'), none, counts(0), counts(1))?.certainty).toBe('certain');
    expect(nameLimit(ended(137, null), none, counts(3), counts(4))?.name).toBe('memory');
    expect(nameLimit(ended(0, null), none, counts(0), counts(1))).toBe(undefined);
  });

  it('a plain SIGKILL is no limit, also after an earlier memory kill', () => {
    expect(nameLimit(ended(null, 'SIGKILL'), all, counts(2), counts(2))).toBe(undefined);
    expect(nameLimit(ended(null, 'SIGKILL'), all, null, null)).toBe(undefined);
  });

  it('words are a likely sign, and only of a limit that is enforced', () => {
    const words = 'FATAL ERROR: JavaScript heap out of memory';
    expect(nameLimit(ended(134, null, words), all, null, null)).toEqual({
      name: 'memory',
      certainty: 'likely',
      setting: 'sandbox.memory_bytes',
    });
    expect(nameLimit(ended(134, null, words), none, null, null)).toBe(undefined);
    expect(nameLimit(ended(1, null, 'write: File too large'), all, null, null)?.name).toBe('file-size');
    expect(nameLimit(ended(1, null, 'sh: Cannot fork'), all, null, null)?.name).toBe('processes');
    expect(nameLimit(ended(1, null, 'all is well'), all, null, null)).toBe(undefined);
  });
});
