import { type BigIntStats, readFileSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type Authorizer, contentHash, type InputIssue, PalisadeError } from '@palisade/contracts';
import { parsePolicy, type PolicyInForce, rulesAuthorizer } from '@palisade/dispatch';

/** The operator's variable: the file with the policy of this installation. */
export const POLICY = 'PALISADE_POLICY';

const POLICY_BYTES = 1024 * 1024;

/**
 * Where the path of the policy was stated, so that whoever reads of a mistake knows what to change: typed just now, the variable, or a file
 * of settings. An engine does not know: it is given the variable by whoever started it.
 */
export type PolicyOrigin = 'value' | 'variable' | { readonly file: string };

/**
 * The operator's setting `PALISADE_POLICY` (DI-194, DI-260): an absolute path of a JSON file with a `Policy`. It is read when somebody asks,
 * and again whenever it has changed, so that a decision is always by the policy in force; its reference is the SHA-256 of
 * the file. While it cannot be read every decision fails, with what {@link checkPolicy} raises; everything else can be
 * done, above all stopping what runs.
 *
 * Threat: whoever writes the file decides what may be done. A relative path would follow the working directory into a
 * repository, and a file that every user may write is nobody's policy: both are refused.
 */
export function policySetting(env: Environment, origin?: PolicyOrigin): Authorizer | undefined {
  const file = policyFile(env, origin);
  return file && rulesAuthorizer(async () => file.inForce());
}

/**
 * Reads the policy now, to tell a mistake before somebody needs a decision; false when none is set.
 *
 * @throws PalisadeError `invalid_input` naming the file, where it was set and, for what stands in it, the place
 */
export function checkPolicy(env: Environment, origin?: PolicyOrigin): boolean {
  return policyFile(env, origin)?.inForce() !== undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

function policyFile(env: Environment, origin: PolicyOrigin | undefined): PolicyFile | undefined {
  const path = env[POLICY];
  return path === undefined || path === '' ? undefined : new PolicyFile(path, origin);
}

/** A file changed twice within this, ms, may look the same both times: how finely file systems tell time. */
const YOUNG_MS = 1_000;

/** A policy in a file, read again when the file is another one or was changed. */
class PolicyFile {
  readonly #path: string;
  readonly #origin: PolicyOrigin | undefined;
  #read: { readonly stamp: string; readonly inForce: PolicyInForce } | undefined;

  constructor(path: string, origin: PolicyOrigin | undefined) {
    this.#path = path;
    this.#origin = origin;
  }

  inForce(): PolicyInForce {
    const facts = this.#usable();
    const stamp = stampOf(facts);
    if (this.#read?.stamp === stamp) return this.#read.inForce;
    const isYoung = Date.now() - Number(facts.ctimeMs) < YOUNG_MS;
    const inForce = this.#parsed();
    this.#read = isYoung ? undefined : { stamp, inForce };
    return inForce;
  }

  #usable(): BigIntStats {
    const next = nextOf(this.#origin);
    if (!isAbsolute(this.#path)) throw this.#wrong('must be an absolute path', next);
    const facts = statSync(this.#path, { throwIfNoEntry: false, bigint: true });
    if (facts?.isFile() !== true) throw this.#wrong('is no file', next);
    if (process.platform !== 'win32' && (facts.mode & 0o002n) !== 0n)
      throw this.#wrong('may be written by every user of this machine', 'chmod o-w on the file');
    if (facts.size > POLICY_BYTES) throw this.#wrong(`is larger than ${POLICY_BYTES} bytes`, next);
    return facts;
  }

  #parsed(): PolicyInForce {
    const next = `correct the file, then ${CHECK}`;
    let bytes: Buffer;
    let value: unknown;
    try {
      bytes = readFileSync(this.#path);
      value = JSON.parse(bytes.toString('utf8'));
    } catch (cause) {
      throw this.#wrong('is not JSON or cannot be read', next, cause);
    }
    const parsed = parsePolicy(value);
    if (!parsed.ok) {
      const [first, ...more] = parsed.issues;
      const place = first === undefined ? '' : `: ${first.path}: ${first.message}`;
      const rest = more.length === 0 ? '' : ` (and ${more.length} more)`;
      throw this.#wrong(`is not valid${place}${rest}`, next, undefined, parsed.issues);
    }
    return { policy: parsed.policy, ref: contentHash(bytes) };
  }

  #wrong(what: string, next: string, cause?: unknown, issues: readonly InputIssue[] = []): PalisadeError {
    const why = whyOf(this.#origin);
    return new PalisadeError('invalid_input', `the policy ${this.#path} ${what}`, {
      ...(why === undefined ? {} : { why }),
      next,
      issues,
      cause,
    });
  }
}

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

const CHECK = 'palisade doctor';

function whyOf(origin: PolicyOrigin | undefined): string | undefined {
  if (origin === undefined || origin === 'value') return undefined;
  return origin === 'variable' ? `it is set by the variable ${POLICY}` : `it is set in ${origin.file}`;
}

/** How another file is named. */
function nextOf(origin: PolicyOrigin | undefined): string {
  if (origin === undefined) return 'palisade config explain policy';
  if (origin === 'value') return 'give the absolute path of a JSON file with a policy';
  return origin === 'variable'
    ? `set ${POLICY} to the absolute path of a policy, or unset it`
    : 'palisade config set policy FILE, or palisade config unset policy';
}
