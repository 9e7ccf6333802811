import type { PipelineDefinition, Plan } from '@palisade/contracts';
import { worksOf } from './plan-templates.ts';

/**
 * The plan with the blocks of registered pipelines where it names them: what holds for blocks that are written in
 * place (what a shape allows, what others need of them) is checked of these in the same way.
 *
 * @param found the pipelines by what the plan calls them; a name that is not among them stays
 */
export function pipelinesInPlace(plan: Plan, found: ReadonlyMap<string, PipelineDefinition>): Plan {
  const copy = structuredClone(plan);
  for (const { inputs } of copy.items.flatMap(worksOf)) {
    if (typeof inputs?.pipeline !== 'string') continue;
    inputs.pipeline = found.get(inputs.pipeline)?.blocks ?? inputs.pipeline;
  }
  return copy;
}
