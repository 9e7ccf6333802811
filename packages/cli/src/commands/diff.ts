import { pathText, summarisePatch } from '@palisade/workspace';
import type { Invocation } from '../invocation.ts';
import { foreignBlock, foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { renderRow } from '../output/row.ts';
import { count } from '../output/time.ts';
import { isApplied } from '../products/applied-record.ts';
import { type ItemPatch, patchesOf } from '../products/products.ts';
import type { diffCommand } from '../tree/product-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

/**
 * `pal diff RUN`: the patches of the finished items in dependency order. A pipe gets text without
 * control characters unless `--raw` asks for the exact bytes, which `git apply` can read.
 */
export const execute: Handler<typeof diffCommand> = async (invocation, args, flags) => {
  if (flags.raw && invocation.out.isTty)
    throw new UsageError('--raw writes exact bytes and needs a pipe or a file');
  const { products, patches } = await patchesOf(invocation, args.run, flags.item);
  if (flags.raw && !flags.stat) {
    for (const patch of patches) invocation.out.write(patch.bytes);
    return 0;
  }
  const data = patches.map((patch) => ({
    item: patch.item,
    ref: patch.ref,
    files: summarisePatch(patch.bytes),
  }));
  emit(invocation, {
    json: { run_id: products.run_id, patches: data },
    records: data.flatMap(({ item, files }) => files.map((file) => ({ item, ...file }))),
    ids: patches.map((patch) => patch.ref),
    text: () =>
      patches.length === 0
        ? [`no patches in ${products.run_id}`]
        : patches.flatMap((patch) => patchLines(invocation, patch, flags.stat)),
  });
  const { directory } = await invocation.controlPlane();
  const items = patches.map((patch) => patch.item);
  if (patches.length > 0 && !isApplied(directory, products.run_id, items))
    invocation.hint(`pal apply ${products.run_id}`);
  return 0;
};

function patchLines(invocation: Invocation, patch: ItemPatch, onlyFiles: boolean): string[] {
  const { style } = invocation.settings;
  const files = summarisePatch(patch.bytes);
  const head = renderRow({ state: 'ok', id: patch.item, title: count(files.length, 'file') }, style);
  const list = files.map(
    (file) =>
      `  ${file.status} ${foreignLine(file.path)}  ${file.binary ? 'binary' : `+${file.added} -${file.deleted}`}`,
  );
  if (onlyFiles) return [head, ...list];
  const body = foreignBlock(pathText(patch.bytes))
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      if (line.startsWith('+')) return style.paint('added', line);
      if (line.startsWith('-')) return style.paint('removed', line);
      return line.startsWith('diff --git ') ? style.paint('strong', line) : line;
    });
  return [head, ...list, '', ...body];
}
