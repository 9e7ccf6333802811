import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type AttemptResult, canonicalBytes, contentHash, limits } from '@palisade/contracts';
import { describe, expect, test } from 'vitest';
import { executorRig, intentOf, leaveResult, write } from '../../test/executor-rig.ts';

/** How an attempt ends whose worker left these files and this result. */
async function endOf(
  files: Readonly<Record<string, string>>,
  change: Partial<AttemptResult>,
  arrange: (attemptDir: string) => void = () => {},
  neededOutputs: readonly string[] = [],
) {
  const rig = executorRig();
  const intent = intentOf({ neededOutputs });
  leaveResult(rig.root, intent.runId, files, change);
  arrange(join(rig.root, intent.runId));
  const { how, execution } = await rig.executor.recover(intent);
  expect(how).toBe('adopted');
  return { ...rig, intent, end: await execution.ended };
}

describe('what a worker says it left', () => {
  test('DI-020: the product is stored under its addresses, and what it refers to is there', async () => {
    const product = {
      result_ref: contentHash('patch'),
      conflicts_ref: contentHash('kept'),
      outputs: [{ path: 'r', ref: contentHash('out'), size: 3 }],
      blocks: [{ kind: 'agent' as const, ordinal: 0, status: 'ok' as const, duration_ms: 1 }],
    };
    const files = { patch: 'patch', 'patch.conflicts': 'kept', 'outputs/0': 'out' };
    const { end, blobs } = await endOf(files, { product }, (dir) => write(dir, '', 'output.log', 'line\n'));
    expect(end).toEqual({
      outcome: 'succeeded',
      exitCode: 0,
      retryable: false,
      posture: [],
      product: { ...product, log_ref: contentHash('line\n') },
    });
    for (const ref of ['patch', 'kept', 'out', 'line\n'])
      expect(await blobs.has(contentHash(ref))).toBe(true);
  });

  test.each<[string, Partial<AttemptResult>]>([
    ['another attempt', { attempt_id: 'att_other' }],
    ['a patch', { product: { result_ref: contentHash('elsewhere') } }],
    ['conflicts', { product: { conflicts_ref: contentHash('elsewhere') } }],
    ['an output', { product: { outputs: [{ path: 'o', ref: contentHash('elsewhere'), size: 9 }] } }],
    ['a file with other bytes', { files: [{ file: 'patch', ref: contentHash('other'), size: 5 }] }],
    ['a file that is missing', { files: [{ file: 'none', ref: contentHash('patch'), size: 5 }] }],
  ])(
    'DI-020: a result that names %s it did not leave is refused and nothing of it is recorded',
    async (_, change) => {
      const { end, faults } = await endOf({ patch: 'patch' }, change);
      expect(end).toMatchObject({
        outcome: 'failed',
        code: 'integrity_mismatch',
        retryable: false,
        product: {},
      });
      expect(faults).toEqual([]);
    },
  );

  test('DI-042: a path outside of the products, a link and a pipe are refused', async () => {
    const ref = contentHash('root:x');
    const outside = await endOf({}, { files: [{ file: '../claim.json', ref, size: 1 }] });
    expect(outside.end).toMatchObject({ outcome: 'failed', code: 'unsafe_path' });
    const special = (make: (path: string) => void) =>
      endOf({}, { files: [{ file: 'x', ref, size: 1 }] }, (dir) => {
        mkdirSync(join(dir, 'products'));
        make(join(dir, 'products/x'));
      });
    const link = await special((path) => symlinkSync('/etc/passwd', path));
    expect(link.end).toMatchObject({ outcome: 'failed', code: 'integrity_mismatch' });
    const pipe = await special((path) => execFileSync('mkfifo', [path]));
    expect(pipe.end).toMatchObject({ outcome: 'failed', code: 'integrity_mismatch' });
  });

  test('FF-071: words that no database can hold are replaced, also in what is said of a result', async () => {
    const odd = 'a\0b\ud83dc';
    const told = await endOf({}, { outcome: 'failed', reason: odd, code: odd, posture: [odd] });
    const plain = 'a\ufffdb\ufffdc';
    expect(told.end).toMatchObject({ reason: plain, code: plain, posture: [plain] });
    const unbelieved = await endOf({}, { files: [{ file: 'no\0ne', ref: contentHash('x'), size: 1 }] });
    expect(unbelieved.end).toMatchObject({ outcome: 'failed', reason: expect.not.stringContaining('\0') });
    const malformed = await endOf({}, { [`${odd}${'x'.repeat(100_000)}`]: 1 });
    expect(malformed.end).toMatchObject({
      code: 'invalid_model_output',
      reason: expect.not.stringContaining('\0'),
    });
    expect(malformed.end.reason?.length).toBeLessThan(5_000);
  });

  test('a claim with a name that no process has names no worker', async () => {
    const rig = executorRig();
    const intent = intentOf();
    leaveResult(rig.root, intent.runId);
    write(rig.root, intent.runId, 'claim.json', { by: 'worker', process: 'a\0b' });
    const { execution } = await rig.executor.recover(intent);
    expect(await execution.started).toBeNull();
  });

  test('DI-020: a log that was not stored is not named', async () => {
    const { end } = await endOf({}, { product: { log_ref: contentHash('gone'), summary: 's' } });
    expect(end.product).toEqual({ summary: 's' });
  });

  test('DI-116: facts that do not fit in an event are bounded whatever the worker wrote', async () => {
    const outputs = Array.from({ length: 400 }, (_, i) => ({
      path: `${i}/`.padEnd(2_000, 'x'),
      ref: contentHash('out'),
      size: 3,
    }));
    const { end, blobs } = await endOf(
      { 'outputs/0': 'out' },
      {
        product: { outputs, summary: '\u0000'.repeat(500_000) },
        reason: 'r'.repeat(500_000),
        posture: Array.from({ length: 5_000 }, () => 'p'.repeat(5_000)),
      },
      undefined,
      [outputs[399]?.path ?? ''],
    );
    const { product, listed, ...rest } = end;
    expect(new Set(listed)).toEqual(new Set([contentHash('out')]));
    expect(canonicalBytes(product).byteLength).toBeLessThanOrEqual(limits.productBytes);
    expect(canonicalBytes(rest).byteLength).toBeLessThan(limits.eventBytes - limits.productBytes);
    const listing = product.outputs?.at(-1);
    expect(listing?.path).toBe('outputs.json');
    expect(product.outputs).toContainEqual(outputs[399]);
    expect(JSON.parse((await blobs.get(listing?.ref ?? contentHash(''))).toString())).toEqual(outputs);
  });
});
