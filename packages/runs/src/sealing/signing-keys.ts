import type { Signer } from '@palisade/evidence';

/**
 * Where the installation's signing key is kept. A rotation makes the next key beside the current one,
 * commits the change in the database, and then puts the next key into the current one's place; a
 * process that finds its key retired takes the one that was made for it.
 */
export interface SigningKeys {
  /** Signs now, whichever process rotated last. */
  current(): Promise<Signer>;
  /** Makes a key and keeps it beside the current one. */
  makeNext(): Promise<Signer>;
  /** Puts a next key into the current one's place; the private half of the former is gone then. Repeatable. */
  adoptNext(keyid: string): Promise<void>;
  /** Forgets a next key that was not needed. */
  dropNext(keyid: string): Promise<void>;
}
