import type { InputIssue } from '@palisade/contracts';
import type { ShapeCatalogue } from './shape-catalogue.ts';

/** What the checks of a plan know of the installation, and where they tell what they find. */
export interface PlanChecks {
  readonly shapes: ShapeCatalogue;
  readonly issues: InputIssue[];
}

interface Shaped {
  readonly shape?: string | undefined;
}

/** Reports an edge on which one item leaves a kind of data that the other cannot take; checked when both say (DI-163). */
export function checkDataEdge(from: Shaped, to: Shaped, at: string, { shapes, issues }: PlanChecks): void {
  const gives = shapes.get(from.shape)?.gives;
  const takes = shapes.get(to.shape)?.takes;
  if (gives === undefined || takes === undefined || takes.includes(gives)) return;
  issues.push({
    path: at,
    message: `${from.shape} leaves ${gives}, and ${to.shape} takes ${takes.join(' or ')}`,
  });
}
