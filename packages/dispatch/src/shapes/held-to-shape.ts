import type { ProductFacts } from '@palisade/contracts';
import type { AttemptEnd } from '@palisade/runs';
import type { FrozenShape } from './shape.ts';

/**
 * The end of an attempt as its item's shape lets it count (DI-193): one that ended well and left what the shape
 * does not allow, or left out what it demands, has failed, and a repetition would not help. What it left
 * stays on record.
 */
export function heldToShape(shape: FrozenShape | undefined, end: AttemptEnd): AttemptEnd {
  if (shape === undefined || end.outcome !== 'succeeded') return end;
  const violation = violationOf(shape, end.product);
  if (violation === null) return end;
  return {
    ...end,
    outcome: 'failed',
    code: 'shape_violated',
    reason: `${violation}: it has the shape ${shape.id}, which is ${shape.effect}`,
    retryable: false,
  };
}

function violationOf(
  { permissions, leaves }: FrozenShape,
  { result_ref: patch, conflicts_ref: conflicts, outputs = [] }: ProductFacts,
): string | null {
  const hasPatch = patch !== undefined || conflicts !== undefined;
  if (hasPatch && !permissions.patch) return 'it changed files of the workspace and may not';
  if (outputs.length > 0 && !permissions.outputs) return 'it left outputs and may not';
  if (leaves === 'patch' && patch === undefined) return 'it changed nothing and has to leave a patch';
  if (leaves === 'outputs' && outputs.length === 0) return 'it left no outputs and has to';
  return null;
}
