import { type InputIssue, type Plan, uncountedChecks } from '@palisade/contracts';
import { worksOf } from './plan-templates.ts';

/** What is allowed in a plan and will hardly be what its author means, each with its place. */
export function planWarnings({ items }: Pick<Plan, 'items'>): InputIssue[] {
  return items.flatMap((item, i) =>
    worksOf(item).flatMap(({ inputs }, n) => {
      const at = n === 0 ? `items[${i}]` : `items[${i}], a template`;
      return Array.isArray(inputs?.pipeline)
        ? uncountedChecks(inputs.pipeline).map(({ path, message }) => ({
            path: `${at}.inputs.pipeline${path}`,
            message,
          }))
        : [];
    }),
  );
}
