import { getArtifact, listProducts, PalisadeError } from '@palisade/contracts';
import type { Invocation, Output } from '../invocation.ts';

/** The patch of one finished item. */
export interface ItemPatch {
  readonly item: string;
  readonly ref: string;
  readonly bytes: Buffer;
}

export type Products = Output<typeof listProducts>;

/** Patches of the finished items, in dependency order: each once, in the order they fit on one another. */
export async function patchesOf(
  invocation: Invocation,
  run: string,
  items: readonly string[],
): Promise<{ readonly products: Products; readonly patches: readonly ItemPatch[] }> {
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
  for (const entry of products.data) {
    if (entry.state !== 'done' || entry.result_ref === undefined) continue;
    const bytes = await artifactBytes(invocation, entry.result_ref);
    if (bytes.length > 0) patches.push({ item: entry.item, ref: entry.result_ref, bytes });
  }
  return { products, patches };
}

/** The bytes at an address. */
export async function artifactBytes(invocation: Invocation, ref: string): Promise<Buffer> {
  const answer = await invocation.call(getArtifact, { ref: ref as never });
  return Buffer.from(answer.base64, 'base64');
}
