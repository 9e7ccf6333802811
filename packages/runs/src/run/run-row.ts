import {
  type ContentHash,
  isContentHash,
  PalisadeError,
  RUN_STATES,
  type RunState,
} from '@palisade/contracts';
import type { SqlRow } from '@palisade/kernel';

/* Columns of the runs table as values of the program; a column of another type is a fault of ours. */

export function runState(row: SqlRow): RunState {
  const value = text(row, 'state');
  const state = RUN_STATES.find((known) => known === value);
  if (state === undefined) throw new PalisadeError('internal', `unknown run state ${value}`);
  return state;
}

export function text(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new PalisadeError('internal', `column ${column} is not text`);
  return value;
}

export function optionalText(row: SqlRow, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

export function number(row: SqlRow, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw new PalisadeError('internal', `column ${column} is not a number`);
  return value;
}

export function optionalNumber(row: SqlRow, column: string): number | null {
  return row[column] === null ? null : number(row, column);
}

export function hash(row: SqlRow, column: string): ContentHash {
  const value = row[column];
  if (!isContentHash(value)) throw new PalisadeError('internal', `column ${column} is not a content hash`);
  return value;
}

/** JSON that this program wrote itself in the same transaction family; its shape is not re-checked. */
export function json<T>(row: SqlRow, column: string): T | null {
  const value = row[column];
  return typeof value === 'string' ? (JSON.parse(value) as T) : null;
}
