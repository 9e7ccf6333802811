import type { Lease } from '@palisade/kernel';
import { ownName, verdictOn } from '@palisade/process';

/** A lease owner's name: unique per start of a process (FF-061), and enough to prove its death where it lived (FF-038). */
export function ownerName(kind: string): string {
  return [kind, ownName(), crypto.randomUUID()].join('|');
}

/** True only for an owner named by {@link ownerName} whose process is proved dead. Of any other, the lease's expiry decides. */
export function isDeadOwner(lease: Lease): boolean {
  return verdictOn(lease.owner.split('|')[1] ?? '') === 'dead';
}
