import { resolve } from 'node:path';
import type { Invalidated, InvalidatedDatabase, SnapshotView } from '@palisade/contracts';
import type { HostBackups } from '../control-plane.ts';
import type { Invocation } from '../invocation.ts';
import { Interrupted } from '../interrupt.ts';
import { foreignName } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { byteSize, count, moment } from '../output/time.ts';
import { nearestProject } from '../project.ts';
import { confirm } from '../prompt.ts';
import {
  type backupCommand,
  type backupVerifyCommand,
  invalidateRestoredCommand,
  type restoreCommand,
} from '../tree/backup-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';
import { given } from './host-accounts.ts';

/** `pal backup` (AO-180). */
export const backup: Handler<typeof backupCommand> = async (invocation, _args, flags) => {
  const repository = placeOf(invocation, flags.repository, '--repository DIR');
  const made = await (await onHost(invocation)).backup({ repository, signal: invocation.interrupted });
  const { retention, warning } = made;
  emit(invocation, {
    json: made,
    records: [made],
    ids: [made.snapshot_id],
    text: () => [
      ...described(invocation, made),
      ...(retention === undefined
        ? []
        : [`kept     ${count(retention.kept, 'snapshot')}, removed ${retention.removed}`]),
      ...(warning === undefined
        ? []
        : [`warning  old snapshots are not removed: ${foreignName(warning.message)}`]),
    ],
  });
  return 0;
};

/** `pal backup-verify` (AO-181). */
export const verify: Handler<typeof backupVerifyCommand> = async (invocation, _args, flags) => {
  const snapshot = placeOf(invocation, flags.snapshot, '--snapshot DIR');
  const verified = await (await onHost(invocation)).verify({ snapshot, signal: invocation.interrupted });
  emit(invocation, {
    json: verified,
    records: [verified],
    ids: [verified.snapshot_id],
    text: () => [
      ...described(invocation, verified),
      ...(verified.schema === 'current'
        ? []
        : [
            'schema   of an earlier version: restoring brings it up to date, and checks that it has all it refers to',
          ]),
    ],
  });
  return 0;
};

/** `pal restore` (AO-182). */
export const restore: Handler<typeof restoreCommand> = async (invocation, _args, flags) => {
  const snapshot = placeOf(invocation, flags.snapshot, '--snapshot DIR');
  const destination = placeOf(invocation, flags.destination, '--destination DIR');
  const reason = given(flags.reason, '--reason TEXT');
  const made = await (await onHost(invocation)).restore({
    snapshot,
    destination,
    reason,
    ...(flags.keys === undefined ? {} : { keys: resolve(invocation.directory, flags.keys) }),
    withoutKeys: flags.withoutKeys,
    signal: invocation.interrupted,
  });
  emit(invocation, {
    json: made,
    records: [made],
    ids: [made.snapshot_id],
    text: () => [
      `ok       ${made.snapshot_id}  restored to ${foreignName(made.data_directory)}`,
      ...ended(made.invalidated),
      ...(made.keys_missing.length === 0 ? [] : [`lost     keys: ${made.keys_missing.join(', ')}`]),
    ],
  });
  invocation.hint(`cd ${foreignName(made.data_directory)}`);
  invocation.hint('pal recover-operator-password --username NAME --reason TEXT');
  return 0;
};

/** `pal invalidate-restored`: of PostgreSQL. */
export const invalidate: Handler<typeof invalidateRestoredCommand> = async (invocation, _args, flags) => {
  const reason = given(flags.reason, '--reason TEXT');
  const backups = await onHost(invocation);
  const { isDryRun } = invocation;
  if (!isDryRun && !flags.yes) {
    for (const line of told(await backups.invalidate({ reason, dryRun: true }), true))
      invocation.err.line(line);
    if (!(await confirm(invocation, invalidateRestoredCommand.asks.end)))
      throw new Interrupted('nothing was changed');
  }
  const invalidated = await backups.invalidate({ reason, dryRun: isDryRun });
  emit(invocation, {
    json: invalidated,
    records: [invalidated],
    ids: [],
    text: () => told(invalidated, isDryRun),
  });
  if (!isDryRun) invocation.hint('pal recover-operator-password --username NAME --reason TEXT');
  return 0;
};

/** Whatever server is configured: these are not for it. */
async function onHost({ connections, directory }: Invocation): Promise<HostBackups> {
  if (connections.hostBackups === undefined) throw new UsageError('there are no snapshots here');
  return connections.hostBackups({ directory: nearestProject(directory) });
}

function placeOf({ directory }: Invocation, path: string | undefined, flag: string): string {
  return resolve(directory, given(path, flag));
}

function described({ settings }: Invocation, snapshot: SnapshotView): string[] {
  const { keys, blob_count: blobs, snapshot_bytes: bytes } = snapshot;
  const needed = [...(keys.master === null ? [] : ['master.key']), 'signer.key'];
  return [
    `ok       ${snapshot.snapshot_id}  ${moment(snapshot.created_at, settings.times)}  ${count(blobs, 'blob')}, ${byteSize(bytes)}`,
    `at       ${foreignName(snapshot.snapshot_path)}`,
    `keys     not in it; restoring needs ${needed.join(' and ')}`,
  ];
}

function told(invalidated: InvalidatedDatabase, isDryRun: boolean): string[] {
  const would = isDryRun ? ['would end and hold:'] : [];
  return [`database ${foreignName(invalidated.database)}`, ...would, ...ended(invalidated)];
}

function ended(invalidated: Invalidated): string[] {
  return [
    `ended    ${count(invalidated.credentials_revoked, 'credential')} revoked, ${count(invalidated.people_disabled, 'account')} disabled`,
    `held     ${count(invalidated.runs_paused, 'run')}, ${count(invalidated.schedules_suspended, 'schedule')}, ${count(invalidated.messages_held, 'message')}`,
  ];
}
