import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isContentHash, limits, listProducts, PalisadeError } from '@palisade/contracts';
import { nearest } from '@palisade/contracts/nearest';
import { shellWords } from '@palisade/contracts/shell-words';
import type { Invocation } from '../invocation.ts';
import { parseItemRef } from '../item-ref.ts';
import { foreignName } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { byteSize } from '../output/time.ts';
import { download, downloadTo, type ProductAddress } from '../products/download.ts';
import { withScratch } from '../products/scratch.ts';
import type { artifactGetCommand } from '../tree/product-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import { writeOutput } from '../write-output.ts';
import type { Handler } from './handler.ts';

/**
 * `pal artifact get REF`: the exact bytes, to a file or a pipe; never to a terminal, which they could
 * command. Nothing is given out before all of it was verified.
 */
export const execute: Handler<typeof artifactGetCommand> = async (invocation, args, flags) => {
  const { output } = flags;
  if (invocation.settings.format === 'text' && output === undefined && invocation.out.isTty)
    throw new UsageError('these are raw bytes; give -o FILE or a pipe');
  const product = await addressOf(invocation, args.ref);
  const { ref } = product;
  if (output === undefined)
    return withScratch((folder) => print(invocation, product, join(folder, 'artifact')));
  let size = 0;
  const file = await writeOutput(invocation, output, flags.force, async (target) => {
    size = await download(invocation, product, target);
  });
  emit(invocation, {
    json: { ref, size, file },
    records: [{ ref, size, file }],
    ids: [ref],
    text: () => [`ok       ${ref}  ${byteSize(size)}  ${foreignName(file)}`],
  });
  return 0;
};

async function print(invocation: Invocation, product: ProductAddress, file: string): Promise<number> {
  const { ref } = product;
  const { format } = invocation.settings;
  const size = await downloadTo(invocation, product, file);
  if (format === 'text') {
    await invocation.out.pour(createReadStream(file));
    return 0;
  }
  if (format === 'json' && size > limits.patchBytes)
    throw new UsageError(`${byteSize(size)} are too much for one JSON document; give -o FILE`);
  emit(invocation, {
    json: format === 'json' ? { ref, size, base64: await readFile(file, 'base64') } : undefined,
    records: [{ ref, size }],
    ids: [ref],
    text: () => [],
  });
  return 0;
}

async function addressOf(invocation: Invocation, word: string): Promise<ProductAddress> {
  if (isContentHash(word)) return { ref: word };
  const { run, item: rest } = parseItemRef(word);
  if (rest === undefined) throw new UsageError('name an item: RUN/ITEM[:PATH], or give sha256:…');
  const { data, run_id } = await invocation.call(listProducts, { run });
  // A path may hold anything and an item name may hold colons, so the longest matching item decides.
  const product = data
    .filter((entry) => rest === entry.item || rest.startsWith(`${entry.item}:`))
    .toSorted((a, b) => b.item.length - a.item.length)[0];
  if (product === undefined)
    throw new PalisadeError('not_found', `run ${run_id} has no product of "${rest}"`, {
      next: `pal show ${run_id}`,
    });
  if (rest === product.item) {
    if (product.result_ref === undefined)
      throw new PalisadeError('not_found', `${product.item} left no patch`, { next: `pal show ${run_id}` });
    return { ref: product.result_ref, run: run_id };
  }
  const path = rest.slice(product.item.length + 1);
  const output = product.outputs.find((entry) => entry.path === path);
  if (output !== undefined) return { ref: output.ref, run: run_id };
  const paths = product.outputs.map((entry) => entry.path);
  const meant = nearest(path, paths) ?? paths[0];
  throw new PalisadeError('not_found', `${product.item} left no output "${path}"`, {
    why:
      meant === undefined
        ? 'it left no outputs: they are files below outputs/ in its workspace ($PALISADE_OUTPUTS)'
        : `outputs, relative to outputs/: ${paths.join(', ')}`,
    next:
      meant === undefined
        ? `pal show ${run_id}`
        : `pal artifact get ${shellWords([`${run_id}/${product.item}:${meant}`])}`,
  });
}
