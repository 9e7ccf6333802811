import type { Plan, PlanItem, PlanTemplate } from '@palisade/contracts';

/** An item and every template under it: all that may come to be done because of it. */
export function worksOf(item: PlanItem): (PlanItem | PlanTemplate)[] {
  const { gate, mapReduce, quorum, spawn } = item.inputs ?? {};
  const templates = [
    gate?.fixTemplate,
    mapReduce?.map,
    mapReduce?.reduce,
    ...(quorum?.reviewers ?? []),
    quorum?.commit,
    quorum?.fixTemplate,
    spawn?.template,
    spawn?.join,
  ];
  return [item, ...templates.filter((template) => template !== undefined)];
}

/** Whether anything of a plan asks for a sandbox that is a boundary. */
export function asksForIsolation({ items }: Pick<Plan, 'items'>): boolean {
  return items.some((item) => worksOf(item).some(({ sandbox }) => sandbox?.isolated === true));
}
