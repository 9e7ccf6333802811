import type { InputIssue } from '@palisade/contracts';
import { shapeOf } from './shape-catalogue.ts';

interface Shaped {
  readonly shape?: string | undefined;
}

/** Reports an edge on which one item leaves a kind of data that the other cannot take; checked when both say (DI-163). */
export function checkDataEdge(from: Shaped, to: Shaped, at: string, issues: InputIssue[]): void {
  const gives = from.shape === undefined ? undefined : shapeOf(from.shape)?.gives;
  const takes = to.shape === undefined ? undefined : shapeOf(to.shape)?.takes;
  if (gives === undefined || takes === undefined || takes.includes(gives)) return;
  issues.push({
    path: at,
    message: `${from.shape} leaves ${gives}, and ${to.shape} takes ${takes.join(' or ')}`,
  });
}
