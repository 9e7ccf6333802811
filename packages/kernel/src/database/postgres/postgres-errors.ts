import { isPalisadeError, PalisadeError } from '@palisade/contracts';
import { LEASE_EXPIRED } from './postgres-schema.ts';

const SQLSTATE = /^[0-9A-Z]{5}$/;

/** SQLSTATE, or a socket error's code, of the driver's error or of ours that wraps it. */
export function errorState(error: unknown): string | undefined {
  const inner = isPalisadeError(error) ? error.cause : error;
  if (!(inner instanceof Error) || !('code' in inner) || typeof inner.code !== 'string') return undefined;
  return inner.code;
}

const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'EAI_AGAIN',
]);

/**
 * True when the connection is gone or cannot be had now: server stopping, starting, crashed or full
 * (57P0x, 53300, class 08), idle session ended, or the socket broke. All of it is routine (FF-085).
 */
export function isConnectionLoss(error: unknown): boolean {
  const state = errorState(error);
  if (state !== undefined) return SOCKET_CODES.has(state) || /^(08...|57P0[1235]|53300|25P03)$/.test(state);
  const inner = isPalisadeError(error) ? error.cause : error;
  return (
    inner instanceof Error &&
    /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/.test(
      inner.message,
    )
  );
}

/** True when the server refused a statement and said so: after anything else a commit's outcome is unknown. */
export function isServersAnswer(error: unknown): boolean {
  const state = errorState(error);
  return state !== undefined && SQLSTATE.test(state) && !isConnectionLoss(error);
}

/** True when the same body may succeed in a new transaction: serialisation, deadlock, or a lock not free in time. */
export function isContention(error: unknown): boolean {
  const state = errorState(error);
  return state === '40001' || state === '40P01' || state === '55P03';
}

/**
 * A unique violation can be a lost race (the winner was not in our snapshot) or a fact. A second run
 * tells them apart, because by then the winner is visible.
 */
export function isUniqueViolation(error: unknown): boolean {
  return errorState(error) === '23505';
}

/** True when a pooler in between lost or confused our prepared statements (FF-082). */
export function isPreparedStatementTrouble(error: unknown): boolean {
  const state = errorState(error);
  return state === '26000' || state === '42P05';
}

/** True when a lease that a transaction relied on expired before it could commit. */
export function isLapse(error: unknown): boolean {
  return errorState(error) === LEASE_EXPIRED;
}

/** The driver's error as ours. Its text can quote values, so only the state is shown. */
export function fromPostgres(error: unknown): unknown {
  if (isPalisadeError(error)) return error;
  const state = errorState(error);
  if (state === '53100' || state === 'ENOSPC')
    return new PalisadeError('storage_full', 'the database server has no space left', {
      cause: error,
      next: 'free space, then try again',
    });
  if (isConnectionLoss(error))
    return new PalisadeError('database_busy', 'the database server is not reachable', { cause: error });
  if (isContention(error))
    return new PalisadeError('database_busy', 'the transaction lost against others', { cause: error });
  if (isLapse(error))
    return new PalisadeError('lease_conflict', 'a lease expired before its write could commit', {
      cause: error,
    });
  if (state !== undefined && SQLSTATE.test(state))
    return new PalisadeError('internal', `a statement failed (SQLSTATE ${state})`, { cause: error });
  return error;
}
