import { type Operation, PalisadeError } from '@palisade/contracts';

const KEY = /^[\x21-\x7e]{1,200}$/;

/**
 * The idempotency key of a call. Every call that changes something needs one: without it nobody could tell, after an answer was lost,
 * whether to ask again (AC-024). Raises `invalid_input`.
 */
export function idempotencyKeyOf(operation: Operation, header: string | undefined): string | undefined {
  if (operation.effect === 'read') return undefined;
  if (header !== undefined && KEY.test(header)) return header;
  throw new PalisadeError(
    'invalid_input',
    header === undefined
      ? `${operation.id} needs an Idempotency-Key`
      : 'an Idempotency-Key is 1 to 200 visible ASCII characters',
    { next: 'send a new random Idempotency-Key, and the same one again when the answer is lost' },
  );
}
