import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The file that one of our own processes starts from. It lies beside this module and is of the same
 * kind: a TypeScript source in a checkout, JavaScript in a package.
 */
export function processEntry(name: 'engine-process' | 'worker-process'): string {
  return fileURLToPath(new URL(`./${name}${extname(import.meta.url)}`, import.meta.url));
}
