import type { BoundOperation, Caller } from '@palisade/contracts';
import type { Database, WriteTx } from '@palisade/kernel';
import { identityClock } from './callers/identity-clock.ts';
import { recheck } from './callers/recheck.ts';
import { authenticate, type TokenCaller } from './credentials/authenticate.ts';
import { credentialOperations } from './credentials/credential-operations.ts';
import { principalOperations } from './principals/principal-operations.ts';

export interface IdentityDeps {
  readonly database: Database;
  /** The machine's clock, Unix ms. */
  readonly wallClock?: () => number;
}

/** Who may use the control plane, and how it is told that it is them. */
export interface Identity {
  readonly operations: BoundOperation[];
  /**
   * Whose token it is; null for one that is malformed, unknown, expired or revoked, or whose principal is disabled. A surface
   * answers each of these with `authentication_required` alike (AC-017).
   */
  authenticate(token: string): Promise<TokenCaller | null>;
  /** Raises `authentication_required` when the caller's credential was revoked, has expired or its principal is disabled (AC-056). Inside a unit of work. */
  recheck(tx: WriteTx, caller: Caller): Promise<void>;
}

/** Opens identity over a database with `identityMigrations`. */
export function identity({ database, wallClock = Date.now }: IdentityDeps): Identity {
  const clock = identityClock(database, wallClock);
  return {
    operations: [...principalOperations(database), ...credentialOperations(database)],
    authenticate: (token) => authenticate({ database, clock }, token),
    recheck: async (tx, caller) => {
      await recheck(tx, caller);
    },
  };
}
