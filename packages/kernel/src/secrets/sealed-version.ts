import { canonicalJson } from '@palisade/contracts';
import type { MasterKey } from './master-key.ts';

/** What a seal is bound to: moving a ciphertext to another place, or changing its expiry, makes it unreadable. */
export interface SealPlace {
  readonly project: string;
  readonly name: string;
  readonly version: number;
  readonly expiresAt: number | null;
}

/** The value as stored: base64 of `nonce‖ciphertext‖tag`. */
export function sealValue(key: MasterKey, place: SealPlace, value: string): string {
  return key.seal(Buffer.from(value, 'utf8'), bindingOf(place)).toString('base64');
}

/** The value; `secret_undecryptable` under another key or in another place. */
export function openValue(key: MasterKey, place: SealPlace, sealed: string): string {
  return key.open(Buffer.from(sealed, 'base64'), bindingOf(place)).toString('utf8');
}

function bindingOf({ project, name, version, expiresAt }: SealPlace): string {
  return canonicalJson(['palisade.secret/1', project, name, version, expiresAt]);
}
