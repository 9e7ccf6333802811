import { describe, expect, test, vi } from 'vitest';
import { executorRig, intentOf, liveWorker } from '../../test/executor-rig.ts';

describe('a worker found again', () => {
  test.each(['ESRCH', 'EPERM'])(
    'DI-122: a signal that fails with %s does not end the engine',
    async (code) => {
      const rig = executorRig();
      const intent = intentOf();
      const worker = await liveWorker(rig.root, intent.runId);
      const { how, execution } = await rig.executor.recover(intent);
      expect(how).toBe('reattached');
      // The moment between the look and the signal cannot be hit from outside.
      const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
        throw Object.assign(new Error(`kill ${code}`), { code });
      });
      execution.cancel('test');
      await vi.waitFor(() => expect(kill).toHaveBeenCalled());
      kill.mockRestore();
      worker.kill('SIGKILL');
      expect(await execution.ended).toMatchObject({ outcome: 'canceled', retryable: false });
      // What is rejected without a handler fails this file.
      expect(rig.faults).toHaveLength(code === 'EPERM' ? 1 : 0);
    },
  );
});

describe('a worker that left no result', () => {
  test('DI-174: past the deadline it timed out and is not tried again, before it the worker is lost and may be', async () => {
    const rig = executorRig();
    const late = await rig.executor.recover(intentOf({ deadlineAt: Date.now() - 1 }));
    expect(late.how).toBe('lost');
    expect(await late.execution.ended).toMatchObject({
      outcome: 'timed_out',
      code: 'timed_out',
      retryable: false,
    });
    const lost = await rig.executor.recover(intentOf());
    expect(await lost.execution.ended).toMatchObject({
      outcome: 'lost',
      code: 'worker_lost',
      retryable: true,
    });
  });
});
