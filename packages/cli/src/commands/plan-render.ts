import type * as Contracts from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { foreignLine, foreignName } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { count } from '../output/time.ts';
import { growthBound, type PossibleGrowth, possibleGrowth } from '../plan-growth.ts';
import { type CheckedPlan, INVALID_PLAN_EXIT, readPlan } from '../plan-file.ts';
import type { planRenderCommand } from '../tree/run-commands.ts';
import type { Handler } from './handler.ts';

type Item = Contracts.PlanItem;

/** `pal plan render FILE`: the plan as layers; an item is below everything it waits for. */
export const execute: Handler<typeof planRenderCommand> = async (invocation, args) => {
  const plan = await readPlan(invocation, args.plan);
  if (plan === undefined) return INVALID_PLAN_EXIT;
  const layers = planLayers(plan.items);
  const title = plan.title ?? plan.id ?? args.plan;
  const growth = possibleGrowth(plan);
  emit(invocation, {
    json: {
      title,
      items: plan.items.length,
      layers: layers.map((layer) => layer.map((item) => item.id)),
      ...(growth.length === 0 ? {} : { growth }),
    },
    records: layers.flatMap((layer, index) => layer.map((item) => record(item, index))),
    ids: layers.flatMap((layer) => layer.map((item) => item.id)),
    text: () => drawing(invocation, foreignLine(title), plan, layers, growth),
  });
  return 0;
};

/** Items in layers: the first waits for nothing, each other waits only for earlier ones. The plan is valid: no cycle. */
function planLayers(items: readonly Item[]): Item[][] {
  const placed = new Set<string>();
  let rest = [...items];
  const layers: Item[][] = [];
  while (rest.length > 0) {
    const layer = rest.filter((item) => waitsFor(item).every((id) => placed.has(id)));
    layers.push(layer);
    for (const item of layer) placed.add(item.id);
    rest = rest.filter((item) => !placed.has(item.id));
  }
  return layers;
}

function waitsFor(item: Item): string[] {
  return [
    ...new Set([...(item.depends_on ?? []), ...Object.values(item.needs ?? {}).map((need) => need.from)]),
  ];
}

function record(item: Item, layer: number): object {
  return {
    layer,
    id: item.id,
    title: item.title ?? '',
    waits_for: waitsFor(item).join(','),
    locks: (item.resourceLocks ?? []).join(','),
  };
}

function drawing(
  invocation: Invocation,
  title: string,
  plan: CheckedPlan,
  layers: readonly (readonly Item[])[],
  growth: readonly PossibleGrowth[],
): string[] {
  const { style } = invocation.settings;
  const isAscii = style.glyphs !== 'unicode';
  const [tee, end, arrow, line, ghost] = isAscii
    ? ['|-', '`-', '<-', '|', '..>']
    : ['├─', '└─', '←', '│', '┄▷'];
  const bound = growthBound(plan);
  const lines = [
    `${style.paint('strong', title)}  ${count(plan.items.length, 'item')}, ${count(layers.length, 'layer')}${plan.pattern === 'pipeline' ? ', a pipeline' : ''}${bound === null ? '' : `, may grow to ${bound}`}`,
  ];
  for (const [index, layer] of layers.entries()) {
    lines.push(`layer ${index + 1}  ${layer.length > 1 ? `${layer.length} side by side` : ''}`.trimEnd());
    for (const [position, item] of layer.entries()) {
      const branch = position === layer.length - 1 ? end : tee;
      const waits = waitsFor(item);
      const parts = [
        waits.length === 0 ? '' : `${arrow} ${waits.join(', ')}`,
        ...Object.entries(item.needs ?? {}).map(([key, need]) => needText(key, need)),
        (item.resourceLocks ?? []).length === 0
          ? ''
          : `lock ${foreignLine((item.resourceLocks ?? []).join(', '))}`,
        item.verify === undefined ? '' : 'self-check',
        item.shape ?? '',
      ];
      const title = item.title === undefined ? '' : `  ${foreignLine(item.title)}`;
      const says = growth.find((possible) => possible.item === item.id)?.says ?? [];
      lines.push(
        `  ${branch} ${item.id}${title}${parts.map((part) => (part === '' ? '' : `  ${part}`)).join('')}`,
        ...says.map((text) => style.paint('dim', `  ${branch === end ? ' ' : line}    ${ghost} ${text}`)),
      );
    }
  }
  return lines;
}

function needText(key: string, need: Contracts.Need): string {
  const what = need.select.kind === 'patch' ? 'patch' : foreignName(need.select.path);
  return `${key}: ${what} of ${need.from}${need.apply === true ? ', applied' : ''}`;
}
