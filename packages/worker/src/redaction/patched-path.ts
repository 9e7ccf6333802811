import { createReadStream } from 'node:fs';
import { LineSplitter } from '../output/line-splitter.ts';

/**
 * Which file a place in a git patch belongs to, as the patch's own header spells it.
 *
 * @param patchPath a patch in git's format
 * @param offset byte offset in it
 */
export async function patchedPathAt(patchPath: string, offset: number): Promise<string> {
  let header = '';
  const splitter = new LineSplitter((line) => {
    const text = line.subarray(0, 8192).toString('utf8');
    if (text.startsWith('diff --git ')) header = text.slice('diff --git '.length);
  });
  // `end` is inclusive: the line that holds the place is seen too when it is a header itself.
  for await (const piece of createReadStream(patchPath, { end: offset })) splitter.push(piece as Buffer);
  splitter.end();
  return newPath(header);
}

/** The second of the two names of a header; they differ only for a rename. */
function newPath(header: string): string {
  const at = header.lastIndexOf(' b/');
  const quoted = header.lastIndexOf(' "b/');
  if (quoted > at) return header.slice(quoted + 4, -1);
  return at === -1 ? header : header.slice(at + 3);
}
