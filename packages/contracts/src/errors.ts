/** What every code of the catalogue says: wire status, whether a retry can help, and the command line's exit code (cli.md §5). */
export interface ErrorFacts {
  /** HTTP status of the problem document. */
  readonly status: number;
  /** True when the same call may succeed later unchanged. */
  readonly retryable: boolean;
  /** Exit code of the command line: 1 failed, 2 input, 3 set-up, 4 denied, 5 conflict, 6 unmet, 7 temporary. */
  readonly exit: 1 | 2 | 3 | 4 | 5 | 6 | 7;
}

const facts = (status: number, exit: ErrorFacts['exit'], retryable = false): ErrorFacts => ({
  status,
  exit,
  retryable,
});

/** The closed catalogue of error codes. Each line says when the error happens. */
export const errorCatalogue = {
  // Input.
  invalid_input: facts(400, 2), // a field is missing, unknown or malformed; `issues` names each place
  invalid_cursor: facts(400, 2), // a cursor was made up, or is one of another list or project (EX-021)
  invalid_plan: facts(422, 2), // a plan failed validation; `issues` carries every problem (DI-163)
  not_canonical: facts(400, 2), // a value has no canonical JSON form (DI-014)
  unsafe_path: facts(400, 2), // a path is absolute, climbs out, crosses a symlink or names a reserved place (DI-042)
  credential_in_text: facts(422, 4), // text or bytes look like a credential (DI-048)
  too_large: facts(413, 2), // bytes, entries or depth above a stated limit
  invalid_model_output: facts(422, 1), // an agent's structured result or sentinel file is malformed or oversized
  // State.
  not_found: facts(404, 2), // absent, or not visible to the caller
  ambiguous_id: facts(409, 2), // an id prefix matches several things
  invalid_state: facts(409, 5), // the state machine has no such transition from here (EX-082)
  already_exists: facts(409, 5), // the id is taken by different content (DI-164)
  stale_revision: facts(409, 5), // somebody else changed the thing since it was read
  idempotency_mismatch: facts(409, 5), // the key was used with a different request
  idempotency_secret_mismatch: facts(409, 5), // the key was used with another password, or the password has changed since (AC-041)
  idempotency_result_expired: facts(409, 5), // the answer to this key was compacted; it is never executed again
  last_active_admin: facts(409, 5), // it would leave nobody who may administer (AC-042)
  project_archived: facts(409, 5), // the project is archived: what it has can be read, and nothing of it changes (AC-070)
  project_not_archived: facts(409, 5), // only what is archived can be restored (AC-070)
  project_active: facts(409, 5), // runs of the project have not ended (AC-070)
  session_closed: facts(409, 5), // the id is of a harness session that was closed, which is for ever (AC-059)
  credential_not_revoked: facts(409, 5), // only a revoked credential can be hidden (AC-051)
  lease_conflict: facts(409, 5), // the presented fence is not the current one; nothing was written (EX-088)
  lease_held: facts(409, 7, true), // somebody else holds the lease and it has not expired
  ledger_sealed: facts(409, 5), // the stream is sealed and refuses appends (DI-226)
  patch_conflict: facts(409, 5), // a product does not apply to the target as it is now
  target_dirty: facts(409, 5), // the files a product touches have changes that would be lost
  requirements_unmet: facts(409, 6), // a context requirement, sandbox or tool is missing
  unpinned_image: facts(409, 6), // a sandbox's image is named by a tag, which may mean another one tomorrow (DI-150)
  authentication_required: facts(401, 3), // no credential, or one that is unknown, expired or revoked; one answer for all (AC-017)
  reauthentication_required: facts(403, 3), // who signed in has to do so again, before how they sign in is changed
  operation_not_permitted: facts(403, 4), // the caller is known and lacks the scope
  unsupported_media_type: facts(415, 2), // the body is not JSON, or compressed
  rate_limited: facts(429, 7, true), // too many requests of one caller; `Retry-After` says when
  overloaded: facts(503, 7, true), // the server holds as many requests, streams or bytes as it can; `Retry-After` says when
  policy_denied: facts(403, 4), // operator policy forbids it
  approval_denied: facts(403, 4), // a person denied it, or nobody approved it in time
  concurrency_exceeded: facts(429, 7, true), // as many runs are open as may be; a later call may be let in (EX-018)
  // Execution.
  setup_failed: facts(500, 1), // a capability's setup script failed or ran out of time
  start_failed: facts(500, 1), // a program could not be started at all
  capture_failed: facts(500, 1), // the product could not be captured or did not prove to apply
  shape_violated: facts(422, 1), // an attempt left what its item's shape does not allow, or not what it demands (DI-193)
  budget_exceeded: facts(429, 1), // a limit of cost, tokens, time or attempts was reached
  timed_out: facts(504, 1), // a deadline passed
  canceled: facts(409, 1), // stopped on request
  worker_lost: facts(500, 1, true), // the worker ended without leaving a result
  provider_failed: facts(502, 1, true), // the sandbox or harness broke, not the agent
  upstream_failed: facts(502, 7, true), // a service outside did not answer, not in time, or broke off
  // Integrity.
  integrity_mismatch: facts(500, 1), // bytes do not hash to their address (DI-020)
  secret_missing: facts(404, 6), // a referenced secret or the version asked for does not exist
  secret_expired: facts(410, 6), // the secret's time to live has passed
  secret_undecryptable: facts(500, 3), // wrong or missing master key; never treated as missing (EX-200)
  master_key_missing: facts(500, 3), // no master key is configured where one is needed
  evidence_invalid: facts(422, 2), // a bundle or trust root is malformed
  // Clock (AC-275).
  clock_reconciliation_required: facts(409, 5), // the clock went back; nothing that grants authority is done until it is reconciled
  clock_incident_changed: facts(409, 5), // another incident of the clock than the named one is open
  clock_still_untrusted: facts(409, 5), // the clock has not reached protected time yet
  clock_not_paused: facts(409, 5), // there is no open incident of the clock
  // Installation.
  database_newer: facts(500, 3), // the database was written by a newer program
  migration_changed: facts(500, 3), // an applied migration's checksum differs from the program's
  database_busy: facts(503, 7, true), // the writer lock was not free within the time allowed
  storage_full: facts(507, 7, true), // the disk or the configured limit is full
  not_initialized: facts(409, 3), // there is no control plane here yet
  unsupported_runtime: facts(500, 3), // this Node release is too old and no bundled one is present
  internal: facts(500, 1), // a fault of the product; `cause` has the detail
} as const satisfies Record<string, ErrorFacts>;

export type ErrorCode = keyof typeof errorCatalogue;

/** One problem at one place of an input, e.g. `{path: 'items[3].needs.work.from', message: 'unknown item "b"'}`. */
export interface InputIssue {
  readonly path: string;
  readonly message: string;
}

export interface ErrorDetails {
  /** Why it happened, one line, when the message alone does not say. */
  readonly why?: string;
  /** The exact command or action that helps. */
  readonly next?: string;
  /** Every problem found, for `invalid_input` and `invalid_plan`. */
  readonly issues?: readonly InputIssue[];
  /** The server that answered with it. */
  readonly origin?: string;
  /** After how many ms the same call may succeed, where that is known: `Retry-After` says it. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/**
 * The only error type that crosses a room's door. Its message is lower-case and specific, and is
 * built from named fields: never from a foreign error's text where that could carry a secret (FF-129).
 */
export class PalisadeError extends Error {
  override readonly name = 'PalisadeError';
  readonly code: ErrorCode;
  readonly why: string | undefined;
  readonly next: string | undefined;
  readonly issues: readonly InputIssue[];
  readonly retryAfterMs: number | undefined;
  readonly origin: string | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.why = details.why;
    this.next = details.next;
    this.issues = details.issues ?? [];
    this.retryAfterMs = details.retryAfterMs;
    this.origin = details.origin;
  }

  get facts(): ErrorFacts {
    return errorCatalogue[this.code];
  }
}

/**
 * True when `error` is ours, and has this code when one is given. Matched by name and code of the
 * catalogue, never by identity of the class: an error may come from another copy of this module or
 * from another realm, whose `Error` is not this one's (DI-016).
 */
export function isPalisadeError(error: unknown, code?: ErrorCode): error is PalisadeError {
  if (!isErrorLike(error) || error.name !== 'PalisadeError') return false;
  if (typeof error.code !== 'string' || !Object.hasOwn(errorCatalogue, error.code)) return false;
  return code === undefined || error.code === code;
}

/**
 * Turns a foreign throw into ours, once, at an edge. What it says is made from the throw's named fields
 * (FF-129); the throw itself is the `cause`, for whoever debugs.
 */
export function toPalisadeError(error: unknown, fallback: ErrorCode = 'internal'): PalisadeError {
  if (isPalisadeError(error)) return error;
  if (isErrorLike(error) && (error.code === 'ENOSPC' || error.code === 'EDQUOT')) {
    return new PalisadeError('storage_full', 'no space left on the device', { cause: error });
  }
  return new PalisadeError(fallback, foreignFault(error), { cause: error });
}

/**
 * What may be told of an error that is not ours: what it is called, of a failed system call its code, name
 * and path or peer, of a reply its status. Never its text, which can quote a header, an address with a password, or the input
 * that could not be parsed (FF-129).
 */
export function foreignFault(error: unknown): string {
  if (!isErrorLike(error)) return 'an unknown fault';
  const code = typeof error.code === 'string' ? error.code : '';
  const fields = error as { syscall?: unknown; path?: unknown; address?: unknown; statusCode?: unknown };
  if (code !== '' && typeof fields.syscall === 'string') {
    const object = [fields.path, fields.address].find((field) => typeof field === 'string');
    return `${code} in ${fields.syscall.split(' ')[0]}${typeof object === 'string' ? ` of ${shortened(object)}` : ''}`;
  }
  const status = typeof fields.statusCode === 'number' ? `, status ${fields.statusCode}` : '';
  return `${code === '' ? error.name : `${error.name} ${code}`}${status}`;
}

/** Text for a message, with the middle of lines left out that are longer than anybody reads: paths can be. */
export function shortened(text: string): string {
  return text.replaceAll(/^(.{200}).{120,}(.{100})$/gmu, '$1 … $2');
}

/** What errors of every realm have in common. */
function isErrorLike(error: unknown): error is { name: string; message: string; code?: unknown } {
  if (typeof error !== 'object' || error === null) return false;
  const { name, message } = error as { name?: unknown; message?: unknown };
  return typeof name === 'string' && typeof message === 'string';
}
