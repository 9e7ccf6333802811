import { type BlobStore, limits, RESULT_OUTPUT, truncateText } from '@palisade/contracts';
import type { AttemptEnd } from '@palisade/runs';
import { readOutput } from '../engine/read-output.ts';
import type { FrozenShape } from './shape.ts';

const FAULT_CHARS = 500;

/**
 * The end of an attempt as its structured result lets it count (DI-193): one that ended well and left no output `result.json`,
 * or one that does not fit the schema of its item's shape, has failed. Agents differ from one attempt to the next, so it may be tried again. What it
 * left stays on record. A store that does not answer is raised: it says nothing of the attempt.
 */
export async function heldToResult(
  blobs: Pick<BlobStore, 'get'>,
  shape: FrozenShape | undefined,
  end: AttemptEnd,
): Promise<AttemptEnd> {
  if (shape?.result === undefined || end.outcome !== 'succeeded') return end;
  const fault = await faultOf(blobs, shape.result, end);
  if (fault === null) return end;
  return {
    ...end,
    outcome: 'failed',
    code: 'shape_violated',
    reason: `${truncateText(fault, FAULT_CHARS)}: it has the shape ${shape.id}`,
    retryable: true,
  };
}

async function faultOf(
  blobs: Pick<BlobStore, 'get'>,
  schema: NonNullable<FrozenShape['result']>,
  { product }: AttemptEnd,
): Promise<string | null> {
  const output = product.outputs?.find(({ path }) => path === RESULT_OUTPUT);
  if (output === undefined) return `it left no ${RESULT_OUTPUT} and has to`;
  if (output.size > limits.inputBytes)
    return `its ${RESULT_OUTPUT} is larger than ${limits.inputBytes} bytes`;
  const bytes = await readOutput(blobs, output.ref, limits.inputBytes);
  if (bytes === null) return `its ${RESULT_OUTPUT} could not be read`;
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return `its ${RESULT_OUTPUT} is not JSON`;
  }
  const { misfitOf } = await import('./result-schema.ts');
  const misfit = misfitOf(schema, value);
  return misfit === null ? null : `its ${RESULT_OUTPUT} ${misfit}`;
}
