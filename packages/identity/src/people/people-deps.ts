import type { Database } from '@palisade/kernel';
import type { PasswordHasher } from '../passwords/password-hasher.ts';
import type { Throttle } from '../passwords/throttle.ts';

export interface PeopleDeps {
  readonly database: Database;
  readonly hasher: PasswordHasher;
  readonly throttle: Throttle;
}
