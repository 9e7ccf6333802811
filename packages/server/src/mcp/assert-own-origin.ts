import { PalisadeError } from '@palisade/contracts';

/**
 * Refuses what a page of another origin sent. The `Host` was looked at before: where a server is called by a name of this machine, a page
 * of that very name is its own. Raises `operation_not_permitted`.
 */
export function assertOwnOrigin(headers: Headers, own: string): void {
  const origin = headers.get('origin');
  if (origin === null || origin === own) return;
  if (origin === `${new URL(own).protocol}//${headers.get('host') ?? ''}`) return;
  throw new PalisadeError('operation_not_permitted', 'the request comes from a page of another origin', {
    next: 'call it from a program, without an Origin',
  });
}
