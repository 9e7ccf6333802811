import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DEFAULT_PROJECT, listCapabilities, RESTORE_POINTS } from '@palisade/contracts';
import { loadMasterKey, openDatabase, replaceMasterKey, secretStore } from '@palisade/kernel';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type BackupRig, backupRig, givenUpAt, inProcess, treeOf } from '../../test/backup-rig.ts';
import { layoutOf } from '../layout.ts';
import { openControlPlane } from '../open-control-plane.ts';
import { roomMigrations } from '../room-migrations.ts';
import { hostBackups } from './host-backups.ts';

vi.setConfig({ testTimeout: 120_000 });

const reason = 'the disk died';

/** A rig, a snapshot of it, and a place for what is restored. */
async function snapshotted(): Promise<
  BackupRig & { readonly snapshot: string; readonly destination: string }
> {
  const rig = await backupRig();
  const { snapshot_path: snapshot } = await rig.backups.backup({ repository: rig.repository });
  return { ...rig, snapshot, destination: join(rig.base, 'new') };
}

const openAt = (root: string) =>
  openDatabase({ url: layoutOf(root).database, migrations: roomMigrations.flat() });

/** The value of the rig's secret, as a control plane in that directory opens it. */
async function secretAt(root: string): Promise<string | undefined> {
  const database = await openAt(root);
  try {
    const masterKey = await loadMasterKey({ directory: layoutOf(root).home, create: false });
    const store = secretStore({ database, masterKey, project: DEFAULT_PROJECT });
    return (await store.resolve(['secret:token']))[0];
  } finally {
    await database.close();
  }
}

it('AO-195: what is restored is a control plane of its own with all that was there, and nothing else changed', async () => {
  const { backups, base, root, snapshot, destination, add } = await snapshotted();
  // What came later is not in it.
  await add(3);
  const before = [treeOf(snapshot), treeOf(root)];
  const made = await backups.restore({ snapshot, destination, reason });
  expect(made).toMatchObject({
    data_directory: destination,
    database_path: join(destination, '.palisade/palisade.db'),
    keys: ['master.key', 'signer.key'],
    keys_missing: [],
  });
  expect([treeOf(snapshot), treeOf(root)]).toEqual(before);
  for (const name of ['', ...readdirSync(destination, { recursive: true, encoding: 'utf8' })])
    expect(statSync(join(destination, name)).mode & 0o077, name).toBe(0);
  expect(readdirSync(base).filter((name) => name.endsWith('.partial'))).toEqual([]);
  expect(await secretAt(destination)).toBe('hush-hush-hush');
  const plane = await openControlPlane({ directory: destination });
  onTestFinished(() => plane.close());
  expect((await plane.call(listCapabilities, {})).data.map(({ name }) => name)).toEqual(['cap-1', 'cap-2']);
  // It can be backed up, and restored, again.
  const again = await hostBackups({ directory: destination }).backup({ repository: join(base, 'again') });
  expect(again.blob_count).toBe(2);
});

it('AO-195: protected time goes on from the snapshot at the earliest, also where the clock is behind', async () => {
  const { backups, plane, base, root, repository } = await backupRig();
  await plane.close();
  const ahead = Date.now() + 86_400_000;
  const file = new DatabaseSync(join(root, '.palisade/palisade.db'));
  file.prepare('UPDATE kernel_clock SET now = ?').run(ahead);
  file.close();
  const { snapshot_path: snapshot } = await backups.backup({ repository });
  const destination = join(base, 'new');
  await backups.restore({ snapshot, destination, reason });
  const restored = await openAt(destination);
  expect(await restored.write(async (tx) => tx.now)).toBeGreaterThanOrEqual(ahead);
  await restored.close();
});

it('AO-195: SIGKILL while it is restored leaves nothing where it was to be, and it is restored then', async () => {
  for (const point of RESTORE_POINTS) {
    const { backups, base, root, snapshot, destination } = await snapshotted();
    const before = treeOf(snapshot);
    const { signal } = await inProcess(['restore', root, snapshot, destination], point);
    expect([point, signal, existsSync(destination)]).toEqual([point, 'SIGKILL', false]);
    // What is left shows that it is none: nobody takes it for a control plane.
    expect(readdirSync(base).filter((name) => /^\.new\..*\.partial$/.test(name))).toHaveLength(1);
    await backups.restore({ snapshot, destination, reason });
    expect(await secretAt(destination)).toBe('hush-hush-hush');
    expect(treeOf(snapshot)).toEqual(before);
  }
});

it('AO-195: a restoration that is given up ends with why, and leaves nothing', async () => {
  const { base, root, snapshot, destination } = await snapshotted();
  const before = treeOf(base);
  for (const point of RESTORE_POINTS) {
    const answer = await givenUpAt(point, ['restore', root, snapshot, destination], base);
    expect([point, answer]).toEqual([point, { code: 'given_up' }]);
    expect(treeOf(base)).toEqual(before);
  }
});

it('AO-182: nothing is overwritten, and nothing is made in the snapshot or where no directory is', async () => {
  const { backups, base, root, snapshot } = await snapshotted();
  const refused = (destination: string, code: string) =>
    expect(backups.restore({ snapshot, destination, reason }), destination).rejects.toMatchObject({ code });
  const before = treeOf(base);
  await refused(root, 'already_exists');
  writeFileSync(join(base, 'file'), '');
  await refused(join(base, 'file'), 'already_exists');
  await refused(snapshot, 'unsafe_path');
  await refused(join(snapshot, 'inside'), 'unsafe_path');
  await refused(join(base, 'no/such/place'), 'not_found');
  // Of this control plane or of any other, by whatever way.
  await refused(join(root, '.palisade/inside'), 'unsafe_path');
  await refused(join(root, '.palisade/planes/inside'), 'unsafe_path');
  mkdirSync(join(base, 'other'));
  renameSync(join(root, '.palisade'), join(base, 'other/moved'));
  symlinkSync(join(base, 'other/moved'), join(root, '.palisade'));
  await refused(join(root, '.palisade/inside'), 'unsafe_path');
  unlinkSync(join(root, '.palisade'));
  await refused(join(base, 'other/moved/inside'), 'unsafe_path');
  renameSync(join(base, 'other/moved'), join(root, '.palisade'));
  rmdirSync(join(base, 'other'));
  await expect(
    backups.restore({ snapshot, destination: join(base, 'new'), reason: ' ' }),
  ).rejects.toMatchObject({
    code: 'invalid_input',
  });
  unlinkSync(join(base, 'file'));
  expect(treeOf(base)).toEqual(before);
});

it('a control plane is not restored without the keys that it cannot do without, unless somebody says so', async () => {
  const { backups, base, root, snapshot, destination } = await snapshotted();
  const home = join(root, '.palisade');
  const keys = join(base, 'keys');
  mkdirSync(keys);
  const unmet = { code: 'requirements_unmet' };
  const restore = (more: object = {}) => backups.restore({ snapshot, destination, reason, keys, ...more });
  await expect(restore()).rejects.toMatchObject({
    ...unmet,
    message: expect.stringContaining('master, signing'),
  });
  copyFileSync(join(home, 'signer.key'), join(keys, 'signer.key'));
  await expect(restore()).rejects.toMatchObject({
    ...unmet,
    message: expect.stringContaining('missing: master'),
  });
  // Another key is none.
  writeFileSync(join(keys, 'master.key'), 'ab'.repeat(32), { mode: 0o600 });
  await expect(restore()).rejects.toMatchObject(unmet);
  expect(existsSync(destination)).toBe(false);
  expect(await restore({ withoutKeys: true })).toMatchObject({
    keys: ['signer.key'],
    keys_missing: ['master'],
  });
  expect(existsSync(join(destination, '.palisade/master.key'))).toBe(false);
  renameSync(destination, join(base, 'without'));
  // The one from the environment counts as well, and is not written down.
  vi.stubEnv('PALISADE_MASTER_KEY', readFileSync(join(home, 'master.key'), 'utf8').trim());
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await restore()).toMatchObject({ keys: ['signer.key'], keys_missing: [] });
  expect(await secretAt(destination)).toBe('hush-hush-hush');
});

it('keys that are links, as mounted secrets are, are taken; a directory that is not there is named', async () => {
  const { backups, base, root, snapshot, destination } = await snapshotted();
  const keys = join(base, 'keys');
  mkdirSync(join(keys, '..data'), { recursive: true });
  for (const name of ['master.key', 'signer.key']) {
    copyFileSync(join(root, '.palisade', name), join(keys, '..data', name));
    symlinkSync(join('..data', name), join(keys, name));
  }
  const nowhere = join(base, 'nowhere');
  await expect(backups.restore({ snapshot, destination, reason, keys: nowhere })).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining(nowhere),
    next: expect.stringContaining('--keys'),
  });
  const made = await backups.restore({ snapshot, destination, reason, keys });
  expect(made.keys).toEqual(['master.key', 'signer.key']);
  for (const name of made.keys) {
    const facts = lstatSync(join(destination, '.palisade', name));
    expect([facts.isFile(), facts.mode & 0o777]).toEqual([true, 0o600]);
    expect(readFileSync(join(destination, '.palisade', name))).toEqual(
      readFileSync(join(root, '.palisade', name)),
    );
  }
  expect(await secretAt(destination)).toBe('hush-hush-hush');
});

it('a master key that was replaced since is found under the name that it was kept by', async () => {
  const { backups, root, snapshot, destination, plane } = await snapshotted();
  await plane.close();
  const database = await openAt(root);
  await replaceMasterKey(database, join(root, '.palisade'));
  await database.close();
  await backups.restore({ snapshot, destination, reason });
  expect(await secretAt(destination)).toBe('hush-hush-hush');
  expect(await secretAt(root)).toBe('hush-hush-hush');
});
