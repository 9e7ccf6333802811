import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

/** A mount namespace of our own, as root or as root of a user namespace; null where neither is allowed. */
const unshare =
  [['-m'], ['-r', '-m']].find(
    (flags) =>
      spawnSync('unshare', [...flags, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { timeout: 10_000 })
        .status === 0,
  ) ?? null;
const needsMount = unshare === null ? ' (skipped: mounting is not allowed here)' : '';

/*
 * Runs in the namespace. The checkout is on a small disk, the record is not. Somebody holds the file
 * open, so that neither the change nor putting it back finds room.
 */
const STORY = `
import { execFileSync } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
const [here, disk, project] = process.argv.slice(1);
const { carryOut, takeBack } = await import(here + '/apply-run.ts');
const { isApplied } = await import(here + '/applied-record.ts');
const { planApply } = await import('@palisade/workspace');
const file = disk + '/a.txt';
writeFileSync(file, 'old\\n' + 'x'.repeat(79).concat('\\n').repeat(50_000));
const patch = project + '/product.patch';
writeFileSync(patch, 'diff --git a/a.txt b/a.txt\\n--- a/a.txt\\n+++ b/a.txt\\n@@ -1,2 +1,2 @@\\n-old\\n+new\\n ' + 'x'.repeat(79) + '\\n');
const plan = await planApply({ directory: disk, patches: [{ item: 'x', file: patch }] });
const invocation = { directory: disk, controlPlane: async () => ({ directory: project }) };
const attempt = (run) => carryOut(invocation, { run, items: [], plan, notes: [] }).then(() => 'applied', (error) => error.keptIn ?? error.code);
const moved = await attempt('run_ok');
const back = await takeBack(invocation, 'run_ok');
openSync(file);
const { bavail, bsize } = statfsSync(disk);
writeFileSync(disk + '/filler', Buffer.alloc(bavail * bsize - 64 * 1024));
const half = await attempt('run_half');
writeFileSync(file, 'somebody else');
const stale = await attempt('run_stale');
console.log(JSON.stringify({ moved, back, half, stale, records: ['run_ok', 'run_half', 'run_stale'].map((run) => isApplied(project, run)) }));
`;

it.skipIf(unshare === null)(
  `keeps the record of an application whose files could not be put back, and only that${needsMount}`,
  () => {
    const place = mkdtempSync(join(tmpdir(), 'palisade-apply-run-'));
    onTestFinished(() => rmSync(place, { recursive: true, force: true }));
    const folders = ['disk', 'project', 'tmp'].map((name) => join(place, name));
    for (const folder of folders) mkdirSync(folder);
    const [disk = '', project = '', temporary = ''] = folders;
    const mount = 'mount -t tmpfs -o size=16m tmpfs "$1" && shift && exec "$@"';
    const node = [process.execPath, '--input-type=module', '-e', STORY, import.meta.dirname, disk, project];
    const out = execFileSync('unshare', [...(unshare ?? []), 'sh', '-c', mount, 'sh', disk, ...node], {
      encoding: 'utf8',
      cwd: import.meta.dirname,
      env: { ...process.env, TMPDIR: temporary },
    });
    expect(JSON.parse(out)).toEqual({
      moved: 'applied',
      back: ['a.txt'],
      half: expect.stringContaining(temporary),
      stale: 'stale_revision',
      records: [false, true, false],
    });
  },
);
