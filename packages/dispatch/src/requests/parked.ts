import type { PlanGraph } from '../engine/plan-graph.ts';
import type { Stage } from '../engine/stage.ts';

/**
 * True when nothing of a run is under way or could be started, and what it waits for is people: a run that
 * is `waiting`. Looks at the items only when nothing runs, which is rare.
 */
export function isParked(graph: PlanGraph, stage: Stage): boolean {
  if (stage.count('needs_input') === 0 || stage.count('running') > 0) return false;
  return graph.items.every((_, i) => {
    const { state } = stage.facts(i);
    return state !== 'ready' && (state !== 'pending' || stage.open(i) > 0);
  });
}
