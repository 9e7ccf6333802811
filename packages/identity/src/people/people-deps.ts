import type { EmailDeps } from '../email/verification.ts';
import type { PasswordHasher } from '../passwords/password-hasher.ts';
import type { Throttle } from '../passwords/throttle.ts';

export interface PeopleDeps extends EmailDeps {
  readonly hasher: PasswordHasher;
  readonly throttle: Throttle;
}
