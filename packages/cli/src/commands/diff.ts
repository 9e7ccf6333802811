import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type PatchFile, pathText, summarisePatch } from '@palisade/workspace';
import type { Invocation } from '../invocation.ts';
import { parseItemsRef } from '../item-ref.ts';
import { foreignBlock, foreignName } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { type RowStyle, renderRow } from '../output/row.ts';
import { count } from '../output/time.ts';
import { isApplied } from '../products/applied-record.ts';
import { patchesOf } from '../products/products.ts';
import { withScratch } from '../products/scratch.ts';
import type { diffCommand } from '../tree/product-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

/** Characters of a patch written at once. */
const CHUNK = 64 * 1024;

/**
 * `pal diff RUN[/ITEM]`: the patches of the finished items in dependency order. A pipe gets text without
 * control characters, which are shown by their codes, unless `--raw` asks for the exact bytes, which `git apply` can read.
 */
export const execute: Handler<typeof diffCommand> = async (invocation, args, flags) => {
  if (flags.raw && invocation.out.isTty)
    throw new UsageError('--raw writes exact bytes and needs a pipe or a file');
  return withScratch((folder) => show(invocation, folder, args, flags));
};

async function show(
  invocation: Invocation,
  folder: string,
  args: Parameters<typeof execute>[1],
  flags: Parameters<typeof execute>[2],
): Promise<number> {
  const { out, settings } = invocation;
  const named = parseItemsRef(args.run, flags.item);
  const { run, patches } = await patchesOf(invocation, folder, named.run, named.items);
  if (flags.raw && !flags.stat) {
    for (const patch of patches) await out.pour(createReadStream(patch.file));
    return 0;
  }
  const data = [];
  for (const { item, ref, file } of patches) {
    const bytes = await readFile(file);
    const files = summarisePatch(bytes);
    data.push({ item, ref, files });
    if (settings.format !== 'text') continue;
    for (const line of headLines(item, files, settings.style)) out.line(line);
    if (!flags.stat) await out.pour(bodyChunks(bytes, settings.style));
  }
  emit(invocation, {
    json: { run_id: run, patches: data },
    records: data.flatMap(({ item, files }) => files.map((file) => ({ item, ...file }))),
    ids: patches.map((patch) => patch.ref),
    text: () => (patches.length === 0 ? [`no patches in ${run}`] : []),
  });
  const { directory } = await invocation.controlPlane();
  const items = patches.map((patch) => patch.item);
  if (patches.length > 0 && !isApplied(directory, run, items)) invocation.hint(`pal apply ${run}`);
  return 0;
}

function headLines(item: string, files: readonly PatchFile[], style: RowStyle): string[] {
  return [
    renderRow({ state: 'ok', id: item, title: count(files.length, 'file') }, style),
    ...files.map(
      (file) =>
        `  ${file.status} ${foreignName(file.path)}  ${file.binary ? 'binary' : `+${file.added} -${file.deleted}`}`,
    ),
  ];
}

/**
 * A patch as text, line by line, with everything that cannot be seen shown: who reviews it sees all of it.
 * A byte that is no UTF-8 spoils its own line only.
 */
function* bodyChunks(bytes: Buffer, style: RowStyle): Generator<string> {
  let chunk = '\n';
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(10, start);
    const stop = end === -1 ? bytes.length : end;
    chunk += `${painted(lineText(bytes.subarray(start, stop)), style)}\n`;
    start = stop + 1;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

function lineText(bytes: Uint8Array): string {
  return foreignBlock(pathText(bytes));
}

function painted(line: string, style: RowStyle): string {
  if (line.startsWith('+')) return style.paint('added', line);
  if (line.startsWith('-')) return style.paint('removed', line);
  return line.startsWith('diff --git ') ? style.paint('strong', line) : line;
}
