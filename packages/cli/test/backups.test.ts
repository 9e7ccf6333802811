import { join } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import { expect, it } from 'vitest';
import type { Connections, HostBackups } from '../src/control-plane.ts';
import { furnished } from './cases.ts';
import { doubleConnections } from './double/double.ts';
import { inProcess } from './in-process.ts';

const SNAPSHOT = {
  snapshot_id: 'snp_1',
  snapshot_path: '/srv/safe/snapshots/one',
  created_at: 1_796_126_897_084,
  database_bytes: 638_976,
  blob_count: 2,
  blob_bytes: 128,
  snapshot_bytes: 639_789,
  keys: { master: '26d56feb6cb48710', signing: ['ed25519-6fa928b45d307e93'] },
};
const INVALIDATED = {
  credentials_revoked: 3,
  people_disabled: 1,
  runs_paused: 2,
  schedules_suspended: 1,
  messages_held: 0,
};

/** Runs a command line over snapshots that only record what they are asked. */
async function over(args: readonly string[], more: Partial<HostBackups> = {}) {
  using place = furnished();
  const asked: object[] = [];
  const answering = <T>(answer: T) => {
    return async (input: object): Promise<T> => {
      asked.push(input);
      return answer;
    };
  };
  const backups: HostBackups = {
    backup: answering({ ...SNAPSHOT, retention: { kept: 5, removed: 1 } }),
    verify: answering({ ...SNAPSHOT, verified: true, schema: 'older', references: 'unchecked' } as const),
    restore: answering({
      snapshot_id: 'snp_1',
      data_directory: '/srv/new',
      database_path: '/srv/new/.palisade/palisade.db',
      created_at: SNAPSHOT.created_at,
      invalidated: INVALIDATED,
      keys: ['signer.key'],
      keys_missing: ['master' as const],
    }),
    invalidate: answering({ ...INVALIDATED, database: 'db.example/palisade' }),
    ...more,
  };
  const connections: Connections = {
    ...doubleConnections(place.scenarioFile, place.callsFile),
    hostBackups: async () => backups,
  };
  const env = place.env({ NO_COLOR: '1', PALISADE_SERVER: 'http://127.0.0.1:1' });
  return {
    ...(await inProcess(args, connections, { cwd: place.directory, env })),
    asked,
    at: place.directory,
  };
}

it('AO-180 AO-192: a backup says where it is, what it needs beside it, and what became of older ones', async () => {
  const { code, stdout, asked, at } = await over(['backup', '--repository', 'safe', '--utc']);
  expect(code).toBe(0);
  expect(asked).toEqual([{ repository: join(at, 'safe'), signal: expect.any(AbortSignal) }]);
  expect(stdout.split('\n')).toEqual([
    'ok       snp_1  2026-12-01T12:08:17.084Z  2 blobs, 625 KiB',
    'at       /srv/safe/snapshots/one',
    'keys     not in it; restoring needs master.key and signer.key',
    'kept     5 snapshots, removed 1',
    '',
  ]);
  const warned = await over(['backup', '--repository', 'safe'], {
    backup: async () => ({
      ...SNAPSHOT,
      warning: { code: 'retention_failed', message: 'a marker\u001b[31m is damaged' },
    }),
  });
  expect(warned.code).toBe(0);
  expect(warned.stdout).not.toMatch(/^kept/m);
  expect(warned.stdout).toMatch(/^warning {2}old snapshots are not removed: a marker.* is damaged$/m);
  expect(warned.stdout).not.toContain('\u001b');
});

it('AO-181 AO-182: verifying and restoring say what they found and what they ended', async () => {
  const verified = await over(['backup-verify', '--snapshot', '/srv/safe/snapshots/one']);
  expect(verified.stdout).toContain(
    'schema   of an earlier version: restoring brings it up to date, and checks',
  );
  const restore = ['restore', '--snapshot', '/s', '--destination', 'new', '--reason', 'the disk died'];
  const restored = await over([...restore, '--keys', 'keys', '--without-keys']);
  expect(restored.asked).toEqual([
    {
      snapshot: '/s',
      destination: join(restored.at, 'new'),
      reason: 'the disk died',
      keys: join(restored.at, 'keys'),
      withoutKeys: true,
      signal: expect.any(AbortSignal),
    },
  ]);
  expect(restored.stdout.split('\n').slice(0, 4)).toEqual([
    'ok       snp_1  restored to /srv/new',
    'ended    3 credentials revoked, 1 account disabled',
    'held     2 runs, 1 schedule, 0 messages',
    'lost     keys: master',
  ]);
});

it('AC-277: what ends in a database is told before anybody is asked, and a dry run ends nothing', async () => {
  const words = ['invalidate-restored', '--reason', 'the disk died'];
  const database = 'db.example/palisade';
  const reason = 'the disk died';
  const sure = await over([...words, '--yes', '--json']);
  expect([sure.code, JSON.parse(sure.stdout)]).toEqual([0, { ...INVALIDATED, database }]);
  expect(sure.asked).toEqual([{ reason, dryRun: false }]);
  const rehearsed = await over([...words, '--dry-run']);
  expect(rehearsed.asked).toEqual([{ reason, dryRun: true }]);
  expect(rehearsed.stdout.split('\n').slice(0, 3)).toEqual([
    'database db.example/palisade',
    'would end and hold:',
    'ended    3 credentials revoked, 1 account disabled',
  ]);
  // Where nothing may be asked, nothing is ended.
  const unsure = await over(words);
  expect([unsure.code, unsure.stdout]).toEqual([2, '']);
  expect(unsure.asked).toEqual([{ reason, dryRun: true }]);
  expect(unsure.stderr).toContain('database db.example/palisade');
  expect(unsure.stderr).toContain('--yes');
});

it('each is given up by a signal, with 130', async () => {
  const givenUp = async ({ signal }: { signal: AbortSignal }): Promise<never> => {
    // What SIGTERM does to the command, and not to the test's own process.
    process.listeners('SIGTERM').at(-1)?.('SIGTERM');
    signal.throwIfAborted();
    throw new Error('it goes on');
  };
  for (const args of [
    ['backup', '--repository', 'safe'],
    ['backup-verify', '--snapshot', '/s'],
    ['restore', '--snapshot', '/s', '--destination', '/d', '--reason', 'x'],
  ]) {
    const { code, stderr } = await over(args, { backup: givenUp, verify: givenUp, restore: givenUp });
    expect([args, code, stderr]).toEqual([args, 130, '']);
  }
});

it('what is missing or refused ends with the code of the error, and nothing is asked for', async () => {
  for (const args of [
    ['backup'],
    ['backup-verify'],
    ['restore', '--snapshot', '/s', '--reason', 'x'],
    ['restore', '--snapshot', '/s', '--destination', '/d'],
    ['invalidate-restored'],
  ]) {
    const { code, asked, stderr } = await over(args);
    expect([args, code, asked]).toEqual([args, 2, []]);
    expect(stderr).toMatch(/--(repository|snapshot|destination|reason)/);
  }
  for (const [error, exit] of [
    ['integrity_mismatch', 1],
    ['storage_full', 7],
    ['lease_held', 7],
    ['already_exists', 5],
    ['requirements_unmet', 6],
  ] as const) {
    const failing = async (): Promise<never> => {
      throw new PalisadeError(error, 'it is not as it was made');
    };
    const { code, stdout } = await over(['backup-verify', '--snapshot', '/s', '--json'], { verify: failing });
    expect([code, JSON.parse(stdout)]).toMatchObject([exit, { error: { code: error } }]);
  }
});
