import * as z from 'zod';
import { PalisadeError } from './errors.ts';
import type { Operation } from './operation.ts';

/** Where a list goes on: the `next_cursor` of the page before, which says nothing to whoever was given it (AC-019). */
export const Cursor = z.string().min(1).max(1_024);

/** What a list asks for: how many, and from where on. */
export const page = { limit: z.int().min(1).max(200).optional(), cursor: Cursor.optional() };

/** True of an operation that answers in pages. */
export function isPaged({ input }: Pick<Operation, 'input'>): boolean {
  return input instanceof z.ZodObject && Object.hasOwn(input.shape, 'cursor');
}

/** The refusal of a cursor that no page of this list gave (EX-021). */
export function invalidCursor(): PalisadeError {
  return new PalisadeError('invalid_cursor', 'the cursor is not the next_cursor of a page of this list', {
    next: 'ask for the list without a cursor',
  });
}
