import { rm } from 'node:fs/promises';

/** Gives `use` a folder of its own that is gone afterwards. */
export async function withScratch<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const { makeScratch } = await import('@palisade/workspace');
  const folder = await makeScratch('products');
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
