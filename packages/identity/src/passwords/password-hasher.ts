import { randomBytes, timingSafeEqual } from 'node:crypto';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { foreignFault, PalisadeError } from '@palisade/contracts';
import { Limiter } from '@palisade/kernel';
import { type Derivation, derivationLike, derivationOf, formatHash } from './derivation.ts';

const SALT_BYTES = 16;
const AT_ONCE = 2;
const WAITING = 30;

/**
 * Hashes passwords with Argon2id (AC-035, AO-161), each in a thread of its own, two at once; as many more wait as may sign in a minute,
 * and who comes after them is `rate_limited`.
 */
export class PasswordHasher {
  readonly #limiter = new Limiter(AT_ONCE);
  #asked = 0;

  /** A new hash of a password, with a salt of its own. */
  async hash(password: string): Promise<string> {
    const derivation = derivationOf(password, randomBytes(SALT_BYTES));
    return formatHash(derivation, await this.#derive(derivation));
  }

  /** True when the hash is one of this password. Without a hash it takes as long and is false: nobody learns who has an account. */
  async verify(hash: string | null, password: string): Promise<boolean> {
    const like = hash === null ? null : derivationLike(hash, password);
    if (like === null) {
      await this.#derive(derivationOf(password, randomBytes(SALT_BYTES)));
      return false;
    }
    return timingSafeEqual(await this.#derive(like.derivation), like.key);
  }

  async #derive(derivation: Derivation): Promise<Uint8Array> {
    if (this.#asked >= AT_ONCE + WAITING)
      throw new PalisadeError('rate_limited', 'too many passwords are being checked', {
        next: 'try again in a few seconds',
        retryAfterMs: 5_000,
      });
    this.#asked++;
    try {
      return await this.#limiter.run(() => derive(derivation));
    } finally {
      this.#asked--;
    }
  }
}

/** The thread starts from a file beside this one, of the same kind: a source in a checkout, JavaScript in a package. */
const THREAD = new URL(`./password-thread${extname(import.meta.url)}`, import.meta.url);

function derive(derivation: Derivation): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    // Neither variables nor options of the process are any business of it.
    const thread = new Worker(THREAD, { workerData: derivation, env: {}, execArgv: [] });
    const failed = (why: string): void =>
      reject(
        new PalisadeError('internal', 'a password could not be hashed', {
          why,
          next: 'try again; when it stays, restart the server',
        }),
      );
    thread.once('message', resolve);
    thread.once('error', (error) => failed(foreignFault(error)));
    thread.once('exit', (code) => failed(`its thread ended with ${code}`));
  });
}
