import { AUTHENTICATION_HELP, type PalisadeError, toPalisadeError } from '@palisade/contracts';

/** An error as every HTTP reply tells it: `application/problem+json` (RFC 9457, EX-017). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: PalisadeError['code'];
  readonly request_id: string;
  readonly retryable: boolean;
  readonly why?: string;
  readonly next?: string;
  /** Of a request without a credential: where it is said how to get one (AC-017). */
  readonly help_path?: string;
  readonly issues?: PalisadeError['issues'];
}

/** The problem document of whatever was thrown. A fault of ours is told by its name alone: its text is for the operator's log. */
export function problemOf(thrown: unknown, requestId: string): Problem {
  const { code, message, why, next, issues, facts } = toPalisadeError(thrown);
  const isOurFault = code === 'internal';
  return {
    type: `/problems/${code}`,
    title: code.replaceAll('_', ' '),
    status: facts.status,
    detail: isOurFault ? 'a fault of the server' : message,
    code,
    request_id: requestId,
    retryable: facts.retryable,
    ...(why === undefined || isOurFault ? {} : { why }),
    ...(isOurFault
      ? { next: `tell the operator the request id; the server's log has more under it` }
      : next === undefined
        ? {}
        : { next }),
    ...(code === 'authentication_required' ? { help_path: AUTHENTICATION_HELP } : {}),
    ...(issues.length === 0 ? {} : { issues }),
  };
}

/** The reply that carries a problem. */
export function problemReply(problem: Problem, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { 'Content-Type': 'application/problem+json', ...headers },
  });
}
