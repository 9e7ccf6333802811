import { expect, onTestFinished, test, vi } from 'vitest';
import { executorRig, intentOf, leaveResult } from '../../test/executor-rig.ts';
import { AttemptDirectory } from './attempt-directory.ts';

// Hours of waiting pass at once: what is tried again and again knows its waits by their sum.
vi.mock('node:timers/promises', () => ({
  setTimeout: () => new Promise((resolve) => setImmediate(resolve)),
}));

const TRIES = 100;

test.each([
  ['was canceled', 'succeeded'],
  ['left no result', 'lost'],
])(
  'FF-046: an attempt that %s has no end while something of it may still run, however long that is',
  async (what, outcome) => {
    let tries = 0;
    const rig = executorRig(() => ({
      reap: async () => {
        if (++tries <= TRIES) throw new Error('it cannot be ended');
      },
    }));
    const troubles: unknown[] = [];
    const intent = intentOf({ onTrouble: (error) => troubles.push(error) });
    if (what === 'was canceled') leaveResult(rig.root, intent.runId);
    const { execution } = await rig.executor.recover(intent);
    if (what === 'was canceled') execution.cancel('test');
    expect(await execution.ended).toMatchObject({ outcome });
    expect([tries, troubles.length]).toEqual([TRIES + 1, TRIES]);
  },
);

test('FF-046: a claim that cannot be read may name a worker, and is read again until it can', async () => {
  const rig = executorRig();
  const intent = intentOf();
  let looks = 0;
  const read = vi.spyOn(AttemptDirectory.prototype, 'claim').mockImplementation(async () => {
    if (++looks <= TRIES) throw new Error('EIO');
    return { by: 'worker', process: 'elsewhere' };
  });
  onTestFinished(() => read.mockRestore());
  leaveResult(rig.root, intent.runId);
  const { execution } = await rig.executor.recover(intent);
  execution.cancel('test');
  expect(await execution.started).toBe('elsewhere');
});

test('a product of a canceled attempt that cannot be stored is given up after a minute', async () => {
  const rig = executorRig((blobs) => ({
    blobs: { ...blobs, putFile: () => Promise.reject(new Error('EIO')) },
  }));
  const intent = intentOf();
  leaveResult(rig.root, intent.runId, { patch: 'patch' });
  const { execution } = await rig.executor.recover(intent);
  execution.cancel('test');
  expect(await execution.ended).toMatchObject({ outcome: 'failed' });
});
