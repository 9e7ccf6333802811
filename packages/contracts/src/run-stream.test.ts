import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runOfStream, runStream } from './run-stream.ts';

it('a stream leads back to the run it was named for, and one of something else to none', () => {
  fc.assert(
    fc.property(fc.string(), (id) => {
      expect(runOfStream(runStream(id))).toBe(id);
    }),
  );
  for (const other of ['', 'run', 'runs:x', 'schedule:x', ' run:x']) expect(runOfStream(other)).toBeNull();
});
