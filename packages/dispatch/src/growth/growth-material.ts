import { type BlobStore, limits } from '@palisade/contracts';
import type { AttemptEnd } from '@palisade/runs';
import { readOutput } from '../engine/read-output.ts';
import type { FrozenItem } from '../plans/frozen-plan.ts';
import type { GrowthMaterial } from './growth-rule.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * What the rule of an item that ended reads of its outputs: the list of a `spawn`, at most `limits.spawnBytes`;
 * null for every other. Why there is none to read is part of the answer; a store that does not answer is raised.
 */
export async function growthMaterial(
  blobs: Pick<BlobStore, 'get'>,
  { growth }: FrozenItem,
  { outcome, product }: AttemptEnd,
): Promise<GrowthMaterial | null> {
  if (growth?.kind !== 'spawn' || outcome !== 'succeeded') return null;
  const output = product.outputs?.find(({ path }) => path === growth.from);
  if (output === undefined) return { fault: 'it left no list' };
  if (output.size > limits.spawnBytes) return { fault: `the list is larger than ${limits.spawnBytes} bytes` };
  const bytes = await readOutput(blobs, output.ref, limits.spawnBytes);
  if (bytes === null) return { fault: 'the list could not be read' };
  try {
    return { text: utf8.decode(bytes) };
  } catch {
    return { fault: 'the list is not UTF-8' };
  }
}
