/*
 * Opens a project with its content in one SQLite file, and hands a patch on through it: node main.ts DIRECTORY
 */
import { open } from '@palisade/dispatch';
import { join } from 'node:path';
import { sqliteBlobs } from './src/index.ts';

const [directory = '.'] = process.argv.slice(2);
await using palisade = await open({ directory, blobs: sqliteBlobs(join(directory, '.palisade', 'content')) });
const run = await palisade.plans.submit({
  items: [
    { id: 'write', command: 'echo hello > greeting.txt' },
    {
      id: 'read',
      command: 'cat greeting.txt | tr a-z A-Z > outputs/loud.txt',
      needs: { work: { from: 'write', select: { kind: 'patch' }, apply: true } },
    },
  ],
});
const result = await run.result();
console.log(String(await result.item('read').output('loud.txt')).trim());
