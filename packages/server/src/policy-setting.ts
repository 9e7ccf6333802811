import { type BigIntStats, readFileSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type Authorizer, contentHash, PalisadeError, parseInput } from '@palisade/contracts';
import { Policy, type PolicyInForce, rulesAuthorizer } from '@palisade/dispatch';

/** The operator's variable: the file with the policy of this installation. */
export const POLICY = 'PALISADE_POLICY';

const POLICY_BYTES = 1024 * 1024;

/**
 * The operator's setting `PALISADE_POLICY` (DI-194, DI-260): an absolute path of a JSON file with a `Policy`. It is read now, so that a mistake
 * is found at once, and again whenever it has changed, so that a decision is always by the policy in force; its reference
 * is the SHA-256 of the file.
 *
 * Threat: whoever writes the file decides what may be done. A relative path would follow the working directory into a
 * repository, and a file that every user may write is nobody's policy: both are refused.
 *
 * @throws PalisadeError `invalid_input` naming the variable and, for what stands in the file, the place in it
 */
export function policySetting(env: Readonly<Record<string, string | undefined>>): Authorizer | undefined {
  const path = env[POLICY];
  if (path === undefined || path === '') return undefined;
  const file = new PolicyFile(path);
  file.inForce();
  return rulesAuthorizer(async () => file.inForce());
}

/** A policy in a file, read again when the file is another one or was changed. */
class PolicyFile {
  readonly #path: string;
  #read: { readonly stamp: string; readonly inForce: PolicyInForce } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  inForce(): PolicyInForce {
    const stamp = stampOf(usable(this.#path));
    if (this.#read?.stamp !== stamp) this.#read = { stamp, inForce: readPolicy(this.#path) };
    return this.#read.inForce;
  }
}

function usable(path: string): BigIntStats {
  if (!isAbsolute(path)) throw wrong('must be an absolute path');
  const facts = statSync(path, { throwIfNoEntry: false, bigint: true });
  if (facts?.isFile() !== true) throw wrong('names no file');
  if (process.platform !== 'win32' && (facts.mode & 0o002n) !== 0n)
    throw wrong('names a file that every user of this machine may write');
  if (facts.size > POLICY_BYTES) throw wrong(`names a file larger than ${POLICY_BYTES} bytes`);
  return facts;
}

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

function readPolicy(path: string): PolicyInForce {
  let bytes: Buffer;
  let value: unknown;
  try {
    bytes = readFileSync(path);
    value = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw wrong('names a file that is not JSON or cannot be read', cause);
  }
  return { policy: parseInput(Policy, value, `the policy in ${POLICY}`), ref: contentHash(bytes) };
}

function wrong(what: string, cause?: unknown): PalisadeError {
  return new PalisadeError('invalid_input', `${POLICY} ${what}`, {
    next: 'correct the setting (palisade config explain policy)',
    cause,
  });
}
