import { join, resolve } from 'node:path';
import type { Plugin } from 'vite';

/*
 * The product as it is shipped: a bundle in plain JavaScript, which the tests of whole installations start and
 * open. Its programs start in a third of the time that the sources take. A run builds it first (build-product.ts).
 */

const ROOT = resolve(import.meta.dirname, '../..');
export const PRODUCT = join(ROOT, 'node_modules/.cache/palisade-tests/product');

/** A file of the product: a program, such as `palisade.mjs`, or what a process starts from, such as `engine-process.js`. */
export function product(file: string): string {
  return join(PRODUCT, file);
}

/** Rooms that tests use in their own process: the source of each one's door. */
export const DOORS: Readonly<Record<string, string>> = Object.fromEntries(
  ['contracts', 'embed', 'evidence', 'kernel', 'process', 'providers/sandbox-bubblewrap', 'server'].map(
    (room) => [room.replace('providers/', ''), join(ROOT, 'packages', room, 'src/index.ts')],
  ),
);

/** Gives the product's door to whoever imports one of these rooms, so that a test's own process is the product too. */
export const doorsOfProduct: Plugin = {
  name: 'doors-of-product',
  enforce: 'pre',
  resolveId(id) {
    const room = /^@palisade\/([\w-]+)$/.exec(id)?.[1] ?? '';
    return Object.hasOwn(DOORS, room) ? product(`${room}.js`) : null;
  },
};
