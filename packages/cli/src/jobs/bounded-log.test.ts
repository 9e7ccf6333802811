import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const canMount =
  process.platform === 'linux' &&
  spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0;

/* The disk has two pages left, so that it takes a part of the first output; there is room for the second one. */
const STORY = `
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
const [module, disk] = process.argv.slice(1);
const { BoundedLog } = await import(module);
const log = new BoundedLog(disk + '/log', 1_000_000);
writeFileSync(disk + '/filler', Buffer.alloc(24 * 1024));
const output = new PassThrough();
log.take(output);
const pass = (text) => new Promise((resolve) => { output.write(text, () => setTimeout(resolve, 20)); });
await pass('a'.repeat(40_960));
rmSync(disk + '/filler');
await pass('b'.repeat(100));
log.close();
console.log(JSON.stringify(readFileSync(disk + '/log', 'utf8').replace(/a+|b+/g, (run) => run[0] + run.length)));
`;

it.skipIf(!canMount)(
  `AC-158: a log is the beginning of an output without a gap, also on a disk that fills up${canMount ? '' : ' (skipped: mounting is not allowed here)'}`,
  () => {
    const disk = mkdtempSync(join(tmpdir(), 'palisade-log-'));
    onTestFinished(() => rmSync(disk, { recursive: true, force: true }));
    const mount = 'mount -t tmpfs -o size=32k tmpfs "$1" && shift && exec "$@"';
    const module = join(import.meta.dirname, 'bounded-log.ts');
    const node = [process.execPath, '--input-type=module', '-e', STORY, module, disk];
    const told = spawnSync('unshare', ['-rm', 'sh', '-c', mount, 'sh', disk, ...node], { encoding: 'utf8' });
    expect(JSON.parse(told.stdout || JSON.stringify(told.stderr))).toBe('a8192');
  },
);
