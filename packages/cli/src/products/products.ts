import { join } from 'node:path';
import { listProducts, PalisadeError } from '@palisade/contracts';
import type * as z from 'zod';
import type { Invocation } from '../invocation.ts';
import { downloadTo } from './download.ts';

/** The patch of one finished item: its address, and the file its verified bytes are in. */
export interface ItemPatch {
  readonly item: string;
  readonly ref: string;
  readonly file: string;
}

type Product = z.output<typeof listProducts.output>['data'][number];

/** Items whose product counts: done, not done over by another item, or what such an item was built on. */
function standing(products: readonly Product[]): Set<string> {
  const kept = new Set<string>();
  // In dependency order: from the end, what is built on comes after what builds on it.
  for (const { item, state, settled_by: by, base_patches: base } of products.toReversed())
    if (kept.has(item) || (state === 'done' && by === undefined))
      for (const id of [item, ...base]) kept.add(id);
  return kept;
}

/**
 * Patches of the finished items as files in `folder`, in dependency order: each once, in the order they
 * fit on one another.
 */
export async function patchesOf(
  invocation: Invocation,
  folder: string,
  run: string,
  items: readonly string[],
): Promise<{ readonly run: string; readonly patches: readonly ItemPatch[] }> {
  const products = await invocation.call(listProducts, {
    run,
    ...(items.length === 0 ? {} : { items: [...items] }),
  });
  for (const item of items) {
    if (!products.data.some((entry) => entry.item === item))
      throw new PalisadeError('not_found', `run ${products.run_id} has no product of "${item}"`, {
        next: `pal show ${products.run_id}`,
      });
  }
  const patches: ItemPatch[] = [];
  const kept = new Set(items.length > 0 ? items : standing(products.data));
  for (const { item, state, result_ref: ref } of products.data) {
    if (state !== 'done' || ref === undefined || !kept.has(item)) continue;
    const file = join(folder, `${patches.length}.patch`);
    if ((await downloadTo(invocation, { ref, run: products.run_id }, file)) > 0)
      patches.push({ item, ref, file });
  }
  return { run: products.run_id, patches };
}
