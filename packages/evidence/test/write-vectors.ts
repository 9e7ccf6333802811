import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { vectorFiles } from './vectors.ts';

/** Writes the golden vectors anew: `node packages/evidence/test/write-vectors.ts`. */
const folder = join(import.meta.dirname, '../vectors');
const files = await vectorFiles();
await mkdir(folder, { recursive: true });
for (const name of await readdir(folder)) if (!files.has(name)) await rm(join(folder, name));
for (const [name, bytes] of files) await writeFile(join(folder, name), bytes);
process.stdout.write(`${files.size} files\n`);
