import { type InputIssue, type PipelineBlock, uncountedChecks } from '@palisade/contracts';
import type { Registered } from '../catalogue.ts';

/** An answer with what its blocks will hardly be meant to do; `field` names where they stand. */
export function warned(
  answer: Registered,
  field: string,
  blocks: readonly PipelineBlock[] = [],
): Registered & { warnings?: InputIssue[] } {
  const warnings = uncountedChecks(blocks).map(({ path, message }) => ({ path: `${field}${path}`, message }));
  return warnings.length === 0 ? answer : { ...answer, warnings };
}
