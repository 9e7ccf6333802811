import { PalisadeError } from '@palisade/contracts';

/** Refuses what a page of another origin sent; the `Host` was looked at before. Raises `operation_not_permitted`. */
export function assertOwnOrigin(headers: Headers, own: string): void {
  const origin = headers.get('origin');
  if (origin === null || origin === own) return;
  throw new PalisadeError('operation_not_permitted', 'the request comes from a page of another origin', {
    next: 'call it from a program, without an Origin',
  });
}
