import { existsSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { contentHash, newId, PalisadeError } from '@palisade/contracts';
import { describe, expect, test, vi } from 'vitest';
import { executorRig, intentOf, leaveResult, liveWorker, write } from '../../test/executor-rig.ts';

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
      await vi.waitFor(() => expect(kill).toHaveBeenCalled(), 30_000);
      kill.mockRestore();
      worker.kill('SIGKILL');
      expect(await execution.ended).toMatchObject({ outcome: 'canceled', retryable: false });
      // What is rejected without a handler fails this file.
      expect(rig.faults).toHaveLength(code === 'EPERM' ? 1 : 0);
    },
  );
});

describe('a worker of another container', () => {
  test('FF-046: is watched while it shows life, and lost when it shows none any more', async () => {
    const rig = executorRig(() => ({ silenceMs: 1_000 }));
    const intent = intentOf();
    write(rig.root, intent.runId, 'claim.json', { by: 'worker', process: 'elsewhere' });
    const { how, execution } = await rig.executor.recover(intent);
    expect(how).toBe('reattached');
    let lives = true;
    void execution.ended.then(() => (lives = false));
    // Its clock is an hour slow: only that the sign changes counts.
    for (let beat = 0; beat < 6; beat++) {
      const shown = new Date(Date.now() - 3_600_000);
      utimesSync(join(rig.root, intent.runId, 'claim.json'), shown, shown);
      await delay(500);
      expect(lives).toBe(true);
    }
    expect(await execution.ended).toMatchObject({ outcome: 'lost', code: 'worker_lost', retryable: true });
  });

  test('FF-046: its result is adopted, whether it lives or not', async () => {
    const rig = executorRig();
    const intent = intentOf();
    write(rig.root, intent.runId, 'claim.json', { by: 'worker', process: 'elsewhere' });
    const { execution } = await rig.executor.recover(intent);
    leaveResult(
      rig.root,
      intent.runId,
      { patch: 'patch' },
      { product: { result_ref: contentHash('patch') } },
    );
    expect(await execution.ended).toMatchObject({ outcome: 'succeeded' });
  });

  test('DI-122: is canceled by a file, and at its deadline not waited for any longer', async () => {
    const rig = executorRig();
    const intent = intentOf({ deadlineAt: Date.now() - 24_000 });
    write(rig.root, intent.runId, 'claim.json', { by: 'worker', process: 'elsewhere' });
    const { execution } = await rig.executor.recover(intent);
    execution.cancel('test');
    await vi.waitFor(() => expect(existsSync(join(rig.root, intent.runId, 'stop'))).toBe(true), 30_000);
    expect(await execution.ended).toMatchObject({ outcome: 'canceled' });
  });
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

test('what a lost worker had printed is kept as its log', async () => {
  const rig = executorRig();
  const intent = intentOf();
  write(rig.root, intent.runId, 'output.log', '{"at":1,"kind":"message","text":"last words"}\n');
  const { execution } = await rig.executor.recover(intent);
  const end = await execution.ended;
  const ref = contentHash('{"at":1,"kind":"message","text":"last words"}\n');
  expect(end).toMatchObject({ outcome: 'lost', product: { log_ref: ref } });
  expect(await rig.blobs.has(ref)).toBe(true);
});

/** Fails as often as it has errors left. */
function failing(...errors: Error[]): () => Promise<void> {
  return async () => {
    const error = errors.shift();
    if (error !== undefined) throw error;
  };
}
const eio = (): Error => Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });

describe('a finished product', () => {
  const patch = { files: { patch: 'patch' }, product: { result_ref: contentHash('patch') } };

  test('FF-046: survives a reap and a store that fail, is recorded once they work, and each fault is reported', async () => {
    const refuse = failing(eio(), new PalisadeError('internal', 'the store is away'));
    const reap = failing(new PalisadeError('integrity_mismatch', 'the state of the sandbox is damaged'));
    const rig = executorRig((blobs) => ({
      reap,
      blobs: { ...blobs, putFile: async (...args) => refuse().then(() => blobs.putFile(...args)) },
    }));
    const intent = intentOf();
    leaveResult(rig.root, intent.runId, patch.files, { product: patch.product });
    const { execution } = await rig.executor.recover(intent);
    expect(await execution.ended).toMatchObject({ outcome: 'succeeded', product: patch.product });
    expect(await rig.blobs.has(contentHash('patch'))).toBe(true);
    expect(rig.faults.map(String)).toEqual([
      'PalisadeError: the state of the sandbox is damaged',
      'Error: EIO: i/o error',
      'PalisadeError: the store is away',
    ]);
  });

  test('DI-177: a run with a new owner stops trying and leaves the product where it is', async () => {
    const reap = vi.fn(() => Promise.reject(eio()));
    const rig = executorRig(() => ({ reap, isOpen: async () => true }));
    const intent = intentOf();
    leaveResult(rig.root, intent.runId, patch.files, { product: patch.product });
    const { execution } = await rig.executor.recover(intent);
    await vi.waitFor(() => expect(rig.faults).toHaveLength(1), 30_000);
    execution.detach();
    await execution.ended;
    const tries = reap.mock.calls.length;
    await expect(execution.release()).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(rig.executor.discard(intent.runId)).rejects.toMatchObject({ code: 'invalid_state' });
    expect(existsSync(join(rig.root, intent.runId, 'products/patch'))).toBe(true);
    expect(reap).toHaveBeenCalledTimes(tries);
  });

  test('FF-031: what an attempt left goes once its end is committed, and without a result at any time', async () => {
    let isOpen = true;
    const rig = executorRig(() => ({ isOpen: async () => isOpen }));
    const finished = newId('run');
    leaveResult(rig.root, finished, patch.files);
    await expect(rig.executor.discard(finished)).rejects.toMatchObject({ code: 'invalid_state' });
    const empty = newId('run');
    write(rig.root, empty, 'output.log', '');
    await rig.executor.discard(empty);
    isOpen = false;
    await rig.executor.discard(finished);
    expect([finished, empty].map((id) => existsSync(join(rig.root, id)))).toEqual([false, false]);
  });

  test('DI-117: a malformed result is settled at once, also beside a malformed claim', async () => {
    const rig = executorRig();
    const intent = intentOf();
    leaveResult(rig.root, intent.runId);
    write(rig.root, intent.runId, 'result.json', '{');
    write(rig.root, intent.runId, 'claim.json', '{');
    const { execution } = await rig.executor.recover(intent);
    expect(await execution.ended).toMatchObject({ outcome: 'failed', code: 'invalid_model_output' });
    expect(rig.faults).toEqual([]);
  });

  test('FF-046: the provider named in the specification is asked to reap, none when it cannot be read', async () => {
    const sandbox = {
      provider: 'moon',
      isolation: 'sandboxed',
      network: false,
      memory_bytes: 1,
      processes: 1,
      file_bytes: 1,
      output_bytes: 1,
    };
    for (const [spec, provider] of [
      [{ sandbox }, 'moon'],
      ['{', null],
      [null, null],
    ] as const) {
      const reap = vi.fn(async () => {});
      const rig = executorRig(() => ({ reap }));
      const intent = intentOf();
      leaveResult(rig.root, intent.runId);
      if (spec !== null) write(rig.root, intent.runId, 'spec.json', spec);
      await (await rig.executor.recover(intent)).execution.ended;
      expect(reap).toHaveBeenCalledWith(intent.runId, join(rig.root, intent.runId, 'state'), provider);
    }
  });
});

describe('what a dead worker left running', () => {
  test('FF-046: is ended before the directory by which it is known goes', async () => {
    const done: string[] = [];
    const rig = executorRig(() => ({
      reap: async (id) => void done.push(`reap ${id} ${existsSync(join(rig.root, id))}`),
      release: async () => void done.push('release'),
    }));
    const id = newId('run');
    leaveResult(rig.root, id);
    await rig.executor.discard(id);
    expect(done).toEqual([`reap ${id} true`, 'release']);
    expect(existsSync(join(rig.root, id))).toBe(false);
  });
});
