import type { ErrorCode } from '@palisade/contracts';

/** Groups whose things are listed by a verb of their own. */
const LISTED = new Set([
  'agent',
  'capability',
  'credential',
  'env',
  'job',
  'model-endpoint',
  'pipeline',
  'principal',
  'queue',
  'schedule',
  'secret',
  'session',
  'webhook',
]);

const help = (command: string): string => `pal help${command === '' ? '' : ` ${command}`}`;
const list = (command: string): string => {
  const [group = ''] = command.split(' ');
  return LISTED.has(group) ? `pal ${group} list` : 'pal status';
};
const again = (): string => 'try again';
const key = (): string => 'give another --idempotency-key, or none';
const look = (): string => 'pal status';
const doctor = (): string => 'pal doctor';

/** By code, for the command that was typed: what helps where whoever raised the error knew nothing better. */
const BY_CODE: Readonly<Record<ErrorCode, (command: string, paths: readonly string[]) => string>> = {
  invalid_input: (command, [path = '']) => (LISTED.has(path) ? `pal ${path} list` : help(command)),
  invalid_cursor: (command) => `repeat it without --cursor: pal ${command}`,
  invalid_plan: () => 'correct the plan where it says, and repeat the command',
  not_canonical: () => 'give it as plain JSON: finite numbers, whole characters, less depth',
  unsafe_path: () => 'name a path inside, without links and without ..',
  credential_in_text: () => 'pal secret put NAME, and name that secret instead',
  too_large: () => 'make it smaller, or leave parts of it out',
  invalid_model_output: () => 'pal logs RUN/ITEM',
  not_found: list,
  ambiguous_id: () => 'give more of its beginning: pal status --format id',
  invalid_state: look,
  already_exists: () => 'give another name or id',
  stale_revision: () => 'look at it again, and repeat the command',
  idempotency_mismatch: key,
  idempotency_result_expired: key,
  lease_conflict: again,
  lease_held: again,
  ledger_sealed: look,
  patch_conflict: () => 'pal diff RUN',
  target_dirty: () => 'commit or stash your changes, and repeat the command',
  requirements_unmet: doctor,
  unpinned_image: () => 'name the image by its digest: IMAGE@sha256:…',
  policy_denied: () => 'change the plan, or ask whoever keeps the policy of this installation',
  approval_denied: () => 'pal inbox --all',
  authentication_required: () => 'pal login SERVER',
  reauthentication_required: () => 'sign in again in your browser, and repeat it within ten minutes',
  operation_not_permitted: () => 'ask an administrator for a credential that may do it',
  unsupported_media_type: again,
  rate_limited: again,
  overloaded: again,
  last_active_admin: () => 'make somebody else an administrator first',
  project_archived: () => 'pal project restore KEY --reason WHY',
  project_not_archived: () => 'pal project list --archived',
  project_active: () => 'pal status: wait for the runs, or cancel them',
  session_closed: () => 'make a new id and a new proof, and register them',
  credential_not_revoked: () => 'pal credential revoke ID',
  idempotency_secret_mismatch: () => 'repeat it with the password as it was first given',
  concurrency_exceeded: () => 'try again when fewer runs are open',
  setup_failed: () => 'pal logs RUN/ITEM',
  start_failed: () => 'pal logs RUN/ITEM',
  capture_failed: () => 'pal logs RUN/ITEM',
  shape_violated: () => 'pal logs RUN/ITEM',
  budget_exceeded: () => 'pal budget RUN --cost-usd DOLLARS',
  timed_out: again,
  canceled: look,
  worker_lost: again,
  provider_failed: doctor,
  upstream_failed: again,
  integrity_mismatch: doctor,
  secret_missing: () => 'pal secret list',
  secret_expired: () => 'pal secret put NAME',
  secret_undecryptable: doctor,
  master_key_missing: doctor,
  evidence_invalid: () => 'ask whoever gave it to you for the file as it was exported',
  clock_reconciliation_required: () => 'pal recover-clock --reason TEXT',
  clock_incident_changed: () => 'pal clock',
  clock_still_untrusted: () => 'set the clock right, then try again',
  clock_not_paused: () => 'pal clock',
  database_newer: () => 'install the version that wrote it, or a newer one',
  migration_changed: () => 'install the version that wrote the database',
  database_busy: again,
  storage_full: () => 'make room on the disk, then pal doctor',
  not_initialized: () => 'pal init',
  unsupported_runtime: () => 'install Node 24',
  internal: doctor,
};

/**
 * The next step of an error that names none itself: every one has one (cli.md §5).
 *
 * @param command path of the command that was typed, or nothing where that is not known
 * @param paths places of an input that are wrong: one that names a thing of a list leads to the list
 */
export function whatNext(code: string, command: string, paths: readonly string[] = []): string {
  return Object.hasOwn(BY_CODE, code) ? BY_CODE[code as ErrorCode](command, paths) : help(command);
}
