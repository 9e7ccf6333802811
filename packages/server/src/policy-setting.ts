import { type BigIntStats, readFileSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type Authorizer, contentHash, PalisadeError, parseInput } from '@palisade/contracts';
import { Policy, type PolicyInForce, rulesAuthorizer } from '@palisade/dispatch';

/** The operator's variable: the file with the policy of this installation. */
export const POLICY = 'PALISADE_POLICY';

const POLICY_BYTES = 1024 * 1024;

/**
 * The operator's setting `PALISADE_POLICY` (DI-194, DI-260): an absolute path of a JSON file with a `Policy`. It is read when somebody asks,
 * and again whenever it has changed, so that a decision is always by the policy in force; its reference is the SHA-256 of
 * the file. While it cannot be read every decision fails, with what {@link checkPolicy} raises; everything else can be
 * done, above all stopping what runs.
 *
 * Threat: whoever writes the file decides what may be done. A relative path would follow the working directory into a
 * repository, and a file that every user may write is nobody's policy: both are refused.
 */
export function policySetting(env: Environment): Authorizer | undefined {
  const file = policyFile(env);
  return file && rulesAuthorizer(async () => file.inForce());
}

/**
 * Reads the policy now, to tell a mistake before somebody needs a decision; false when none is set.
 *
 * @throws PalisadeError `invalid_input` naming the variable and, for what stands in the file, the place in it
 */
export function checkPolicy(env: Environment): boolean {
  return policyFile(env)?.inForce() !== undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

function policyFile(env: Environment): PolicyFile | undefined {
  const path = env[POLICY];
  return path === undefined || path === '' ? undefined : new PolicyFile(path);
}

/** A file changed twice within this, ms, may look the same both times: how finely file systems tell time. */
const YOUNG_MS = 1_000;

/** A policy in a file, read again when the file is another one or was changed. */
class PolicyFile {
  readonly #path: string;
  #read: { readonly stamp: string; readonly inForce: PolicyInForce } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  inForce(): PolicyInForce {
    const facts = usable(this.#path);
    const stamp = stampOf(facts);
    if (this.#read?.stamp === stamp) return this.#read.inForce;
    const isYoung = Date.now() - Number(facts.ctimeMs) < YOUNG_MS;
    const inForce = readPolicy(this.#path);
    this.#read = isYoung ? undefined : { stamp, inForce };
    return inForce;
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
