import { canonicalHash, canonicalJson, limits, PalisadeError } from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';
import { holdRun, insertPart, putDocument, type RootRun, runStream } from '@palisade/runs';
import { openChannels } from '../channels/channel-store.ts';
import { insertItems } from '../engine/item-store.ts';
import type { FrozenItem, FrozenPart } from '../plans/frozen-plan.ts';

/** A run as the gate sees it: the items it has, and how many it may come to have. */
export interface GrowingRun {
  readonly run: RootRun;
  readonly has: (id: string) => boolean;
  /** An item it has; asked of new items whose id is taken. */
  readonly find: (id: string) => FrozenItem | undefined;
  readonly maxItems: number;
}

/** Who wants a run to grow: the item whose end does, or somebody outside. */
export interface GrowthCause {
  readonly actor: string;
  readonly item: string | null;
}

/** What the gate made of a part: items that were new, and those the run had already, just the same. */
export interface Extended {
  readonly added: readonly string[];
  readonly already: readonly string[];
}

/**
 * The one gate through which a run grows (DI-204): items are appended and never changed, they depend on
 * what there is and on each other, and their number has a fuse. What the run has already, with the same
 * content, is passed over, so a repeated wish adds nothing. In the caller's unit of work, whole or not at all.
 *
 * @throws PalisadeError `invalid_state` when the run has ended, `already_exists` for an id with other content,
 *   `too_large` when the fuse blows, `invalid_plan` for edges that lead nowhere or in a circle
 */
export async function extendRun(
  tx: WriteTx,
  growing: GrowingRun,
  part: FrozenPart,
  cause: GrowthCause,
): Promise<Extended> {
  const { run } = growing;
  const openness = await holdRun(tx, run.id, true);
  if (openness === undefined)
    throw new PalisadeError('invalid_state', `run ${run.id} has ended: nothing can be added to it`);
  const already = part.items.filter((item) => isThere(growing, item));
  const present = new Set(already);
  const items = present.size === 0 ? part.items : part.items.filter((item) => !present.has(item));
  const answer = { added: items.map(({ id }) => id), already: already.map(({ id }) => id) };
  if (items.length === 0) return answer;
  const row = await tx.sql.get<{ last: number | null }>(
    'SELECT MAX(ordinal) AS last FROM plan_items WHERE run_id = ?',
    [run.id],
  );
  const first = (row?.last ?? -1) + 1;
  assertFuse(growing, first, items.length);
  const ordered = inOrder(growing, items);
  for (let at = 0; at < ordered.length; at += limits.partItems) {
    const some = ordered.slice(at, at + limits.partItems);
    const ids = some.map(({ id }) => id);
    const ref = await putDocument(tx, run.id, canonicalJson({ ...part, items: some }));
    const seq = openness.parts + 1 + at / limits.partItems;
    await insertPart(tx, run.id, {
      seq,
      ref,
      items: ids.length,
      cause: cause.item,
      actor: cause.item === null ? cause.actor : null,
    });
    await insertItems(tx, run.id, ids, first + at);
    await openChannels(tx, run.id, some);
    await tx.journal.append(runStream(run.id), 'run.extended', {
      actor: cause.actor,
      ...(cause.item === null ? {} : { cause: cause.item }),
      part_ref: ref,
      items: ids,
    });
  }
  return answer;
}

function isThere(growing: GrowingRun, item: FrozenItem): boolean {
  if (!growing.has(item.id)) return false;
  const there = growing.find(item.id);
  if (there !== undefined && canonicalHash(there) === canonicalHash(item)) return true;
  throw new PalisadeError('already_exists', `the run has an item ${item.id} with other content`, {
    next: 'give the new item another id',
  });
}

function assertFuse({ run, maxItems }: GrowingRun, present: number, added: number): void {
  if (present + added <= maxItems) return;
  throw new PalisadeError(
    'too_large',
    `run ${run.id} has ${present} items and may have ${maxItems}: ${added} more are too many`,
    { why: 'a run that grows without end is nearly always a mistake', next: 'state max_items in the plan' },
  );
}

/**
 * The new items in an order in which they can run: what they depend on is there already, or comes before.
 * `invalid_plan` when there is none.
 */
function inOrder(growing: GrowingRun, items: readonly FrozenItem[]): FrozenItem[] {
  const fresh = new Map(items.map((item) => [item.id, item]));
  const problem = (item: FrozenItem, message: string) =>
    new PalisadeError('invalid_plan', `item ${item.id} ${message}`);
  if (fresh.size < items.length) throw new PalisadeError('invalid_plan', 'two new items have the same id');
  const open = new Map<string, number>();
  const dependents = new Map<string, string[]>();
  for (const item of items) {
    let count = 0;
    for (const id of item.dependsOn) {
      if (fresh.has(id)) {
        count++;
        const list = dependents.get(id);
        if (list === undefined) dependents.set(id, [item.id]);
        else list.push(item.id);
      } else if (!growing.has(id)) throw problem(item, `depends on ${id}, which does not exist`);
    }
    for (const { from } of item.needs)
      if (!item.dependsOn.includes(from)) throw problem(item, `needs ${from} and does not wait for it`);
    open.set(item.id, count);
  }
  const ordered = items.filter((item) => open.get(item.id) === 0);
  for (const { id } of ordered) {
    for (const dependent of dependents.get(id) ?? []) {
      const left = (open.get(dependent) ?? 0) - 1;
      open.set(dependent, left);
      const item = fresh.get(dependent);
      if (left === 0 && item !== undefined) ordered.push(item);
    }
  }
  if (ordered.length === items.length) return ordered;
  throw new PalisadeError('invalid_plan', 'the new items wait for each other in a circle');
}
