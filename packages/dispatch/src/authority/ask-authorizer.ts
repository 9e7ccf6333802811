import {
  type AuthorizationRequest,
  type Authorizer,
  canonicalJson,
  PalisadeError,
  toPalisadeError,
  AuthorizerAnswer,
} from '@palisade/contracts';

/** Far more than a verdict needs; it stands in an event. */
const VERDICT_CHARS = 16_384;

/**
 * Asks an authorizer, which may be anybody's: what throws, does not answer in time or gives an answer that is none is an error, so
 * that nothing is ever let through by an accident. Never inside a unit of work.
 *
 * @param timeoutMs how long it may think
 * @param signal aborted when nobody waits for the answer any more
 * @throws PalisadeError of the authorizer's own, else `upstream_failed`
 */
export async function askAuthorizer(
  authorizer: Authorizer,
  request: AuthorizationRequest,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<AuthorizerAnswer> {
  const abort = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    abort.signal.addEventListener('abort', () => reject(abort.signal.reason), { once: true });
  });
  const timer = setTimeout(() => abort.abort(unanswered(`did not answer within ${timeoutMs} ms`)), timeoutMs);
  const stop = () => abort.abort(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    signal?.throwIfAborted();
    const answering = (async () => authorizer.authorize(request, abort.signal))();
    return checked(await Promise.race([answering, stopped]));
  } catch (error) {
    throw toPalisadeError(error, 'upstream_failed');
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

function checked(answer: unknown): AuthorizerAnswer {
  const parsed = AuthorizerAnswer.safeParse(answer);
  if (!parsed.success || !fits(parsed.data)) throw unanswered('gave an answer that is none');
  return parsed.data;
}

function fits(verdict: AuthorizerAnswer): boolean {
  try {
    return canonicalJson(verdict).length <= VERDICT_CHARS;
  } catch {
    return false;
  }
}

function unanswered(what: string): PalisadeError {
  return new PalisadeError('upstream_failed', `the authorizer ${what}`, {
    next: 'see to the authorizer, and try again',
  });
}
