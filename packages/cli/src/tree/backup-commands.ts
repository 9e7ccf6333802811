import { command, flag } from './declaration.ts';

const snapshot = { snapshot: flag.string('DIR', 'the directory of the snapshot (required)') };
const reason = { reason: flag.string('TEXT', 'why; it is kept in the audit records (required)') };

export const backupCommand = command({
  path: 'backup',
  summary: 'Make a snapshot of this control plane, also while it is served, and remove old ones',
  args: {},
  flags: {
    repository: flag.string('DIR', 'where snapshots are kept, outside of the control plane (required)'),
  },
  effect: 'read',
  notes:
    'A snapshot has the database and all that it refers to, and no keys: keep .palisade/master.key and .palisade/signer.key\nelsewhere. The newest of each of 24 hours and 30 days is kept. For PostgreSQL it says what to use.',
});

export const backupVerifyCommand = command({
  path: 'backup-verify',
  summary: 'Check that a snapshot is whole, wherever it lies; writes nothing',
  args: {},
  flags: snapshot,
  effect: 'read',
});

export const restoreCommand = command({
  path: 'restore',
  summary: 'Make a control plane of a snapshot, in a new directory',
  args: {},
  flags: {
    ...snapshot,
    destination: flag.string('DIR', 'a directory that is not there yet (required)'),
    ...reason,
    keys: flag.string('DIR', 'where master.key and signer.key are (default: .palisade of this directory)'),
    withoutKeys: flag.boolean('go on without keys that are lost: secrets cannot be opened then'),
  },
  effect: 'read',
  notes:
    'Nobody can use it with what they had: tokens are revoked, people disabled until pal recover-operator-password. Runs that\nhad not ended are paused and schedules suspended, until each is resumed. The snapshot and what is there now stay as they are.',
});

export const invalidateRestoredCommand = command({
  path: 'invalidate-restored',
  summary: 'After a PostgreSQL database was restored: end what restore ends in a snapshot',
  args: {},
  flags: { ...reason, yes: flag.boolean('end it without asking', { short: 'y' }) },
  effect: 'mutation',
  asks: { end: { words: 'end all of this in that database?', flag: '--yes' } },
  notes:
    'Of the database that PALISADE_DATABASE_URL names, before anything is started on it: it refuses one that is in use. Nobody\ncan use it then with what they had. --dry-run says what would end.',
});
