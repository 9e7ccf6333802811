/*
 * Collects every old blob of a directory over and over: `collect-process.ts <directory> <hour in ms>`.
 * Prints `ready` once, and ends when its standard input does.
 */
import { fileBlobStore } from '../src/index.ts';

const [directory = '', hour = '0'] = process.argv.slice(2);
const store = fileBlobStore(directory);
const over = new AbortController();
process.stdin.on('end', () => over.abort());
process.stdin.resume();
process.stdout.write('ready\n');
let removed = 0;
while (!over.signal.aborted)
  removed += (await store.collect(new Set(), { before: Date.now() - Number(hour) })).removed;
process.stdout.write(`${removed}\n`);
