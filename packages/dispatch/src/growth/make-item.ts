import type { FrozenItem, ItemTemplate } from '../plans/frozen-plan.ts';

/** Where an item that is made stands in the graph. */
export interface Place
  extends Pick<FrozenItem, 'id' | 'dependsOn' | 'needs' | 'growth' | 'repeats' | 'atLeastDone'> {
  readonly grownBy: string;
}

/** An item of a template. One without a title is called by its id. */
export function makeItem(template: ItemTemplate, place: Place): FrozenItem {
  return { ...template, ...place, title: template.title === '' ? place.id : template.title };
}

/** An input with something put into it; a plan whose input has no room for it was refused. */
export function withInput(template: ItemTemplate, told: Readonly<Record<string, unknown>>): ItemTemplate {
  const { input } = template;
  const own = typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {};
  return { ...template, input: { ...own, ...told } };
}
