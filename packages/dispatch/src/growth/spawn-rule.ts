import { canonicalJson, isPalisadeError, limits, SpawnEntry } from '@palisade/contracts';
import * as z from 'zod';
import type { FrozenItem } from '../plans/frozen-plan.ts';
import { grownName } from './grown-name.ts';
import type { GrowthRule } from './growth-rule.ts';
import { endedWell } from './item-end.ts';
import { makeItem } from './make-item.ts';

/*
 * An item's output names further items (DI-200). The list is the word of an agent: it chooses how many there are,
 * their order and what each is told, and nothing else: what runs, with what, and how many at most stands in the plan.
 */

export const spawnRule: GrowthRule = (owner, { item, facts }, _run, { text, fault }) => {
  const { growth } = owner;
  if (growth?.kind !== 'spawn' || item.id !== owner.id || facts.state !== 'done') return null;
  const refused = (why: string) => ({ refused: `${owner.id} wanted items that cannot be: ${why}` });
  if (!endedWell(facts)) return refused('its self-check failed');
  if (text === undefined) return refused(`${fault ?? 'it left no list'} (outputs/${growth.from})`);
  const list = parseList(text, growth.max);
  if (typeof list === 'string') return refused(`outputs/${growth.from}: ${list}`);
  const idOf = (id: string): string => grownName(owner.id, `::${id}`);
  const items = list.map(({ id, prompt, input, depends_on: after = [] }): FrozenItem => {
    const template = {
      ...growth.template,
      ...(prompt === undefined ? {} : { prompt }),
      ...(input === undefined ? {} : { input }),
    };
    const dependsOn = [owner.id, ...new Set(after.map(idOf))];
    return makeItem(template, { id: idOf(id), dependsOn, needs: [], grownBy: owner.id });
  });
  if (growth.join !== undefined) {
    const leavesPatch = growth.template.pipeline.some(
      (block) => block.kind === 'capture' && block.what === 'patch',
    );
    items.push(
      makeItem(growth.join, {
        id: idOf('join'),
        dependsOn: items.length === 0 ? [owner.id] : items.map(({ id }) => id),
        needs: leavesPatch
          ? items.map(({ id }, i) => ({
              key: `work-${i + 1}`,
              from: id,
              select: { kind: 'patch' as const },
              apply: true,
            }))
          : [],
        grownBy: owner.id,
      }),
    );
  }
  return items.length === 0 ? null : { items, settles: [] };
};

const List = z.array(SpawnEntry);

/** The list, or in one line why it is none. Places and names of it are shown, its texts are not. */
function parseList(text: string, max: number): SpawnEntry[] | string {
  if (Buffer.byteLength(text) > limits.spawnBytes) return `is larger than ${limits.spawnBytes} bytes`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'is not JSON';
  }
  try {
    // Bounds its depth before anything that recurs sees it.
    canonicalJson(value);
  } catch (error) {
    if (isPalisadeError(error, 'not_canonical')) return error.message;
    throw error;
  }
  if (!Array.isArray(value)) return 'is not an array';
  if (value.length > max) return `names ${value.length} items, and ${max} are allowed`;
  const parsed = List.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `entry ${String(issue?.path[0] ?? '?')}: ${issue?.path.slice(1).join('.') || 'it'}: ${issue?.message ?? 'is wrong'}`;
  }
  const ids = new Set<string>();
  for (const { id } of parsed.data) {
    if (id === 'join') return 'the id join is taken';
    if (ids.has(id)) return `two items are called ${id}`;
    ids.add(id);
  }
  for (const { id, depends_on: after = [] } of parsed.data)
    for (const other of after)
      if (!ids.has(other)) return `${id} depends on ${other}, which is not in the list`;
  return isOrderable(parsed.data) ? parsed.data : 'its items wait for each other in a circle';
}

function isOrderable(list: readonly SpawnEntry[]): boolean {
  const open = new Map(list.map(({ id, depends_on: after = [] }) => [id, new Set(after).size]));
  const dependents = new Map<string, string[]>();
  for (const { id, depends_on: after = [] } of list)
    for (const other of new Set(after)) dependents.set(other, [...(dependents.get(other) ?? []), id]);
  const free = list.flatMap(({ id }) => (open.get(id) === 0 ? [id] : []));
  let sorted = 0;
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    sorted++;
    for (const dependent of dependents.get(id) ?? []) {
      const left = (open.get(dependent) ?? 0) - 1;
      open.set(dependent, left);
      if (left === 0) free.push(dependent);
    }
  }
  return sorted === list.length;
}
