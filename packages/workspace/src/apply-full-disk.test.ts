import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { capture, repository, scratch, workspace, write } from '../test/repository.ts';

/** A mount namespace of our own, as root or as root of a user namespace; null where neither is allowed. */
const unshare =
  [['-m'], ['-r', '-m']].find(
    (flags) =>
      spawnSync('unshare', [...flags, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { timeout: 10_000 })
        .status === 0,
  ) ?? null;
const needsMount = unshare === null ? ' (skipped: mounting is not allowed here)' : '';

/*
 * Runs in the namespace, with a disk of 32 MiB that is gone afterwards: what it saw is its output.
 * The product changes the first line of a big file that has uncommitted work in its last, and adds
 * another file for which there is no room.
 */
const STORY = `
import { execFileSync } from 'node:child_process';
import { chmod, open, readdir, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises';
const [index, disk, repo, patch, isHeld] = process.argv.slice(1);
const { applyPlanned, isNotPutBack, planApply, recordOf, revertApplied } = await import(index);
execFileSync('git', ['clone', '-q', repo, disk + '/clone']);
const [clone, file, filler] = [disk + '/clone', disk + '/clone/a.txt', disk + '/filler'];
const mine = (await readFile(file, 'utf8')) + 'mine\\n';
await writeFile(file, mine);
await chmod(file, 0o640);
const plan = await planApply({ directory: clone, patches: [{ item: 'x', file: patch }] });
// A file that somebody holds open gives no room back when it is replaced.
const held = isHeld === 'held' ? await open(file) : null;
const { bavail, bsize } = await statfs(disk);
await writeFile(filler, Buffer.alloc(bavail * bsize - 512 * 1024));
const seen = {};
try {
  await applyPlanned(plan);
} catch (error) {
  Object.assign(seen, { code: error.code, why: error.why, next: error.next, isNotPutBack: isNotPutBack(error), keptIn: error.keptIn });
}
seen.isAsBefore = (await readFile(file, 'utf8')) === mine;
seen.scratch = await readdir(process.env.TMPDIR);
seen.names = await readdir(clone);
await held?.close();
await rm(filler);
if (seen.keptIn !== undefined) {
  execFileSync('sh', ['-c', seen.next.split('\`')[1]], { cwd: '/' });
  seen.isRestored = (await readFile(file, 'utf8')) === mine;
}
await revertApplied(recordOf(plan), clone);
seen.isReverted = (await readFile(file, 'utf8')) === mine;
seen.mode = ((await stat(file)).mode & 0o777).toString(8);
seen.status = execFileSync('git', ['-C', clone, 'status', '--porcelain'], { encoding: 'utf8' });
console.log(JSON.stringify(seen));
`;

async function onFullDisk(isHeld: boolean): Promise<Record<string, unknown>> {
  const lines = Array.from({ length: 500_000 }, (_, line) => `${line}\n`);
  const repo = await repository({ 'a.txt': lines.join('') });
  const handle = await workspace(repo);
  await write(handle.directory, {
    'a.txt': ['first\n', ...lines.slice(1)].join(''),
    'b.txt': 'b'.repeat(2 * 1024 * 1024),
  });
  const place = await scratch();
  const [patch, disk, temporary] = [join(place, 'p.patch'), join(place, 'disk'), join(place, 'tmp')];
  await writeFile(patch, (await capture(handle)).patch);
  await mkdir(disk);
  await mkdir(temporary);
  const out = execFileSync(
    'unshare',
    [
      ...(unshare ?? []),
      'sh',
      '-c',
      'mount -t tmpfs -o size=32m tmpfs "$1" && shift && exec "$@"',
      'sh',
      disk,
      process.execPath,
      '--input-type=module',
      '-e',
      STORY,
      join(import.meta.dirname, 'index.ts'),
      disk,
      repo,
      patch,
      isHeld ? 'held' : 'free',
    ],
    { encoding: 'utf8', env: { ...process.env, TMPDIR: temporary } },
  );
  return { ...(JSON.parse(out) as Record<string, unknown>), left: await readdir(temporary) };
}

test.skipIf(unshare === null)(
  `an application that a full disk ends half way puts the files back and leaves nothing behind${needsMount}`,
  async () => {
    expect(await onFullDisk(false)).toMatchObject({
      why: expect.stringContaining('No space left on device'),
      isNotPutBack: false,
      isAsBefore: true,
      scratch: [],
      names: expect.not.arrayContaining(['b.txt']),
      isReverted: true,
      mode: '640',
      status: ' M a.txt\n',
    });
  },
);

test.skipIf(unshare === null)(
  `when a full disk keeps files from being put back, the only copy of uncommitted work stays and the error says how to get it out${needsMount}`,
  async () => {
    const seen = await onFullDisk(true);
    expect(seen).toMatchObject({
      code: 'target_dirty',
      isNotPutBack: true,
      isAsBefore: false,
      isRestored: true,
      isReverted: true,
      status: ' M a.txt\n',
    });
    const [kept] = seen['left'] as string[];
    expect(seen['keptIn']).toMatch(new RegExp(`/tmp/${kept}$`));
    expect(seen['why']).toContain(seen['keptIn']);
  },
);
