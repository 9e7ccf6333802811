import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { writePrograms } from '../../scripts/build/cli-package.ts';
import { DOORS, PRODUCT } from './product.ts';

/** Builds the product before the tests of a run. One that is the same stays as it is: another run may be using it. */
export default async function buildProduct(): Promise<void> {
  mkdirSync(dirname(PRODUCT), { recursive: true });
  const scratch = mkdtempSync(`${PRODUCT}-`);
  try {
    const built = await writePrograms(join(scratch, 'new'), DOORS);
    writeFileSync(join(built, 'package.json'), '{"type":"module"}');
    if (existsSync(PRODUCT)) {
      if (digestOf(built) === digestOf(PRODUCT)) return;
      renameSync(PRODUCT, join(scratch, 'old'));
    }
    renameSync(built, PRODUCT);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Of the names and bytes of all files in a folder and below. */
function digestOf(folder: string): string {
  const hash = createHash('sha256');
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  for (const name of names.toSorted()) {
    const bytes = readFileSync(join(folder, name));
    hash.update(`${name} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}
