import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { contentHash, SnapshotManifest } from '@palisade/contracts';
import { expect, it, vi } from 'vitest';
import { type BackupRig, backupRig, treeOf } from '../../test/backup-rig.ts';
import { manifestBytes, markerBytes } from './manifest.ts';

vi.setConfig({ testTimeout: 120_000 });

const IMAGE = 'database.sqlite3';

/** Copies of one snapshot, each to be harmed. */
async function copies() {
  const rig = await backupRig();
  const { snapshot_path: original } = await rig.backups.backup({ repository: rig.repository });
  let made = 0;
  return {
    rig,
    original,
    copy: (): string => {
      const path = join(rig.base, `copy-${++made}`);
      cpSync(original, path, { recursive: true });
      return path;
    },
  };
}

const blobIn = (path: string): string =>
  join(
    path,
    readdirSync(path, { recursive: true, encoding: 'utf8' }).find((name) => /[0-9a-f]{64}$/.test(name)) ?? '',
  );

/** Changes one bit of a file. */
function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  const place = at < 0 ? bytes.length + at : at;
  bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
  writeFileSync(path, bytes);
}

/** Refused by both, with nothing changed and nothing made. */
async function expectRefused({ backups, base }: BackupRig, snapshot: string, code: string): Promise<void> {
  const before = treeOf(snapshot);
  await expect(backups.verify({ snapshot })).rejects.toMatchObject({ code });
  const destination = join(base, 'never');
  await expect(backups.restore({ snapshot, destination, reason: 'test' })).rejects.toMatchObject({ code });
  expect(treeOf(snapshot)).toEqual(before);
  expect(readdirSync(base).filter((name) => name.includes('never'))).toEqual([]);
}

it('AO-186 AO-188 AO-189: whatever is not as it was made is refused by verifying and by restoring, and nothing is written', async () => {
  const { rig, copy } = await copies();
  const harms: Record<string, (path: string) => void> = {
    'a bit of a blob': (path) => flip(blobIn(path), 3),
    'a bit of the image': (path) => flip(join(path, IMAGE), 300_000),
    'a bit of the head of the image': (path) => flip(join(path, IMAGE), 18),
    'a bit of the manifest': (path) => flip(join(path, 'manifest.json'), 60),
    'the end of the manifest': (path) => flip(join(path, 'manifest.json'), -1),
    'a bit of the marker': (path) => flip(join(path, 'COMPLETE'), 40),
    'the end of the marker': (path) => flip(join(path, 'COMPLETE'), -1),
    'a missing blob': (path) => unlinkSync(blobIn(path)),
    'a missing image': (path) => unlinkSync(join(path, IMAGE)),
    'a missing manifest': (path) => unlinkSync(join(path, 'manifest.json')),
    'a missing marker': (path) => unlinkSync(join(path, 'COMPLETE')),
    'a shorter blob': (path) => truncateSync(blobIn(path), 5),
    'a file more': (path) => writeFileSync(join(path, 'blobs', 'more'), ''),
    'a log beside the image': (path) => writeFileSync(join(path, `${IMAGE}-wal`), ''),
    'a link for a blob': (path) => {
      const blob = blobIn(path);
      renameSync(blob, join(path, '../real-blob'));
      symlinkSync('../../../../real-blob', blob);
    },
    'a link for the image': (path) => {
      renameSync(join(path, IMAGE), join(path, '../real-image'));
      symlinkSync('../real-image', join(path, IMAGE));
    },
    'a link for a directory': (path) => {
      renameSync(join(path, 'blobs'), `${path}-blobs`);
      symlinkSync(`${path}-blobs`, join(path, 'blobs'));
    },
    'a manifest too big': (path) => truncateSync(join(path, 'manifest.json'), 65 * 1024 * 1024),
  };
  for (const [what, harm] of Object.entries(harms)) {
    const path = copy();
    harm(path);
    await expectRefused(rig, path, 'integrity_mismatch').catch((error: unknown) => {
      throw new Error(what, { cause: error });
    });
  }
  const path = copy();
  symlinkSync(path, `${path}-link`);
  await expectRefused(rig, `${path}-link`, 'integrity_mismatch');
  await expect(rig.backups.verify({ snapshot: join(rig.base, 'nothing') })).rejects.toMatchObject({
    code: 'not_found',
  });
  // What was harmed was a copy.
  expect(await rig.backups.verify({ snapshot: copy() })).toMatchObject({ verified: true });
});

/** Changes the image as somebody would who can write all of a snapshot, so that every digest fits. */
function forge(path: string, sql: string): void {
  const image = join(path, IMAGE);
  chmodSync(image, 0o600);
  const file = new DatabaseSync(image);
  file.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
  file.close();
  const manifest = SnapshotManifest.parse(JSON.parse(readFileSync(join(path, 'manifest.json'), 'utf8')));
  const bytes = readFileSync(image);
  const forged = { ...manifest, database: { size: bytes.length, sha256: contentHash(bytes) } };
  writeFileSync(join(path, 'manifest.json'), manifestBytes(forged));
  writeFileSync(join(path, 'COMPLETE'), markerBytes(forged, manifestBytes(forged)));
}

it('AO-189: an image whose digests fit and that no version made, or that does not go with its blobs, is refused', async () => {
  const { rig, copy } = await copies();
  const unknown = "INSERT INTO kernel_migrations (id, checksum, applied_at) VALUES ('future/0001', 'x', 0)";
  const changed = "UPDATE kernel_migrations SET checksum = 'x' WHERE id = 'runs-0001'";
  const first = (room: string) =>
    `DELETE FROM kernel_migrations WHERE id = (SELECT MIN(id) FROM kernel_migrations WHERE id LIKE '${room}%')`;
  const ref = `sha256:${'0'.repeat(64)}`;
  for (const [sql, code] of [
    [unknown, 'database_newer'],
    [changed, 'migration_changed'],
    [first('kernel/0'), 'integrity_mismatch'],
    [first('identity/'), 'integrity_mismatch'],
    [
      "INSERT INTO passwords (principal, hash, changed_at) VALUES ('prn_nobody', 'x', 0)",
      'integrity_mismatch',
    ],
    [`UPDATE kernel_revisions SET hash = '${ref}' WHERE name = 'cap-1'`, 'integrity_mismatch'],
    ["DELETE FROM kernel_revisions WHERE name = 'cap-1'", 'integrity_mismatch'],
    ["UPDATE installation SET log_origin = 'another'", 'integrity_mismatch'],
    ['DELETE FROM installation', 'integrity_mismatch'],
  ] as const) {
    const path = copy();
    forge(path, sql);
    await expectRefused(rig, path, code).catch((error: unknown) => {
      throw new Error(sql, { cause: error });
    });
  }
});

it('AO-189 AO-195: the schema of an earlier version is taken, and brought up to date in the copy alone', async () => {
  const { rig, copy } = await copies();
  const path = copy();
  const older = `DROP TABLE result_sinks; DROP TABLE result_outbox; DELETE FROM kernel_migrations WHERE id LIKE '%sink%';
     ALTER TABLE kernel_clock_incidents DROP COLUMN ahead_ms; DELETE FROM kernel_migrations WHERE id = 'kernel/0004-clock-ahead'`;
  forge(path, older);
  const before = treeOf(path);
  expect(await rig.backups.verify({ snapshot: path })).toMatchObject({
    schema: 'older',
    references: 'unchecked',
  });
  const destination = join(rig.base, 'new');
  await rig.backups.restore({ snapshot: path, destination, reason: 'test' });
  expect(treeOf(path)).toEqual(before);
  const restored = new DatabaseSync(join(destination, '.palisade/palisade.db'), { readOnly: true });
  expect(restored.prepare('SELECT * FROM result_sinks').all()).toEqual([]);
  restored.close();
  // What verifying cannot read there, restoring does.
  const missing = copy();
  forge(
    missing,
    `${older}; UPDATE kernel_revisions SET hash = 'sha256:${'0'.repeat(64)}' WHERE name = 'cap-1'`,
  );
  expect(await rig.backups.verify({ snapshot: missing })).toMatchObject({ references: 'unchecked' });
  const never = join(rig.base, 'never');
  const refused = rig.backups.restore({ snapshot: missing, destination: never, reason: 'test' });
  await expect(refused).rejects.toMatchObject({ code: 'integrity_mismatch' });
  expect(readdirSync(rig.base).filter((name) => name.includes('never'))).toEqual([]);
});

it('AO-196: an image that would undo what restoring ends is not restored', async () => {
  const { rig, copy } = await copies();
  const path = copy();
  forge(
    path,
    'CREATE TRIGGER revive AFTER UPDATE ON credentials BEGIN UPDATE credentials SET revoked_at = NULL WHERE id = new.id; END',
  );
  const refused = rig.backups.restore({
    snapshot: path,
    destination: join(rig.base, 'revived'),
    reason: 'test',
  });
  await expect(refused).rejects.toMatchObject({
    code: 'integrity_mismatch',
    why: expect.stringContaining('CREATE TRIGGER revive'),
  });
  expect(readdirSync(rig.base).filter((name) => name.includes('revived'))).toEqual([]);
});

it('AO-187: a copy is verified where nothing can be written, one in a repository while nobody removes it', async () => {
  const { rig, copy, original } = await copies();
  const path = copy();
  const everything = ['', ...readdirSync(path, { recursive: true, encoding: 'utf8' })];
  for (const name of everything.toReversed())
    chmodSync(join(path, name), name === '' || !name.includes('.') ? 0o500 : 0o400);
  const before = treeOf(path);
  expect(await rig.backups.verify({ snapshot: path })).toMatchObject({ verified: true });
  expect(treeOf(path)).toEqual(before);
  for (const name of everything) chmodSync(join(path, name), 0o700);
  const repository = treeOf(rig.repository);
  expect(await rig.backups.verify({ snapshot: original })).toMatchObject({ snapshot_path: original });
  expect(treeOf(rig.repository)).toEqual(repository);
});

it('AO-191: kept is the newest of each of 24 hours and 30 days; a damaged marker keeps all, and the new snapshot', async () => {
  const { rig, original } = await copies();
  const { snapshots, backups, repository } = rig;
  const HOUR = 3_600_000;
  const now = Date.now();
  const fake = (at: number, n: number): string => {
    const id = `snp_${n.toString(16).padStart(32, '0')}`;
    const name = `${new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '')}-${id}`;
    const directory = join(repository, 'snapshots', name);
    mkdirSync(directory, { mode: 0o700 });
    const hash = contentHash('');
    writeFileSync(
      join(directory, 'COMPLETE'),
      `{"created_at":${at},"manifest":"${hash}","snapshot_id":"${id}"}\n`,
    );
    return directory;
  };
  rmSync(original, { recursive: true });
  // Two in each hour of sixty days.
  const made = Array.from({ length: 60 * 24 }, (_, hour) =>
    [0, 1].map((n) => fake(Math.floor(now / HOUR - 1 - hour) * HOUR + n * 600_000, 2 * hour + n)),
  );
  const { snapshot_path: newest, retention, warning } = await backups.backup({ repository });
  expect(warning).toBeUndefined();
  const left = snapshots();
  expect(left).toHaveLength(retention?.kept ?? -1);
  expect(retention?.removed).toBe(2 * 60 * 24 + 1 - left.length);
  // Days that begin within the kept hours are kept by a snapshot that is kept already.
  expect(left.length).toBeLessThanOrEqual(53);
  expect(left.length).toBeGreaterThanOrEqual(51);
  expect(left).toContain(newest);
  for (const hour of made.slice(0, 23)) expect(left).toContain(hour[1]);
  for (const hour of made.slice(0, 23)) expect(left).not.toContain(hour[0]);
  const [oldest = ''] = left;
  flip(join(oldest, 'COMPLETE'), 15);
  const again = await backups.backup({ repository });
  expect(again.warning).toMatchObject({ code: 'retention_failed' });
  expect(again).not.toHaveProperty('retention');
  expect(snapshots()).toEqual([...left, again.snapshot_path]);
  await backups.verify({ snapshot: again.snapshot_path });
});
