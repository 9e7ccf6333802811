import { join, resolve } from 'node:path';
import { type OutputAsset, type OutputChunk, rolldown } from 'rolldown';

const ROOT = resolve(import.meta.dirname, '../..');
const OURS = join(ROOT, 'packages');

/**
 * Writes the worker as a bundle of its own: every attempt starts one, and would pay for each schema of the contracts that
 * is made when it does. What a door only passes on and the worker does not use is left out; that is right because
 * a module of ours does nothing when it is loaded but declare.
 */
export async function writeWorker(
  directory: string,
  entry: string,
  dependencies: readonly string[],
): Promise<readonly (OutputChunk | OutputAsset)[]> {
  const bundle = await rolldown({
    cwd: ROOT,
    input: { 'worker-process': entry },
    platform: 'node',
    external: [...dependencies],
    treeshake: { moduleSideEffects: (id) => id === entry || !id.startsWith(`${OURS}/`) },
  });
  const { output } = await bundle.write({
    dir: directory,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'worker-[name]-[hash].js',
  });
  return output;
}
