import { isKeyed, type Operation, PalisadeError } from '@palisade/contracts';

const KEY = /^[\x21-\x7e]{1,200}$/;

/**
 * The idempotency key of a call. Every call that changes something needs one, but those of whoever signs in: without it nobody could tell, after an answer was lost,
 * whether to ask again (AC-024). `name` is what the surface calls it. Raises `invalid_input`.
 */
export function idempotencyKeyOf(
  operation: Operation,
  given: string | undefined,
  name = 'Idempotency-Key',
): string | undefined {
  if (!isKeyed(operation)) return undefined;
  if (given !== undefined && KEY.test(given)) return given;
  throw new PalisadeError(
    'invalid_input',
    given === undefined
      ? `${operation.id} needs an ${name}`
      : `an ${name} is 1 to 200 visible ASCII characters`,
    { next: `send a new random ${name}, and the same one again when the answer is lost` },
  );
}
