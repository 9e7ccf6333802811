import { foreignLine } from './foreign-text.ts';
import type { RowStyle } from './row.ts';
import { whatNext } from './what-next.ts';

/** A failure as the command line reports it, whatever threw it. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly why?: string;
  readonly next?: string;
  readonly issues: readonly { readonly path: string; readonly message: string }[];
  readonly retryable: boolean;
  readonly exit: number;
  /** The server that answered with it. */
  readonly server?: string;
}

/**
 * Reads any throw as a {@link Failure}. Foreign errors become `internal`.
 *
 * @param command path of the command that was typed: an error that names no next step gets one that fits it
 */
export async function toFailure(error: unknown, command?: string): Promise<Failure> {
  const failure = await asFailure(error);
  return failure.next !== undefined || command === undefined
    ? failure
    : {
        ...failure,
        next: whatNext(
          failure.code,
          command,
          failure.issues.map(({ path }) => path),
        ),
      };
}

async function asFailure(error: unknown): Promise<Failure> {
  if (error instanceof Error && error.name === 'UsageError' && 'code' in error) {
    return {
      code: 'invalid_input',
      message: error.message,
      ...textMember(error, 'why'),
      ...textMember(error, 'next'),
      issues: [],
      retryable: false,
      exit: 2,
    };
  }
  const { toPalisadeError, errorCatalogue } = await import('@palisade/contracts');
  const ours = toPalisadeError(error);
  const facts = Object.hasOwn(errorCatalogue, ours.code)
    ? errorCatalogue[ours.code]
    : errorCatalogue.internal;
  return {
    code: ours.code,
    message: ours.message,
    ...textMember(ours, 'why'),
    ...nextStep(ours.code, ours.message, ours.next),
    issues: ours.issues,
    retryable: facts.retryable,
    exit: facts.exit,
    ...serverOf(ours),
  };
}

/** The server that a failure came from, also where it was put into other words on the way. */
function serverOf(error: unknown): { readonly server?: string } {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
    const origin: unknown = Reflect.get(cause, 'origin');
    if (typeof origin === 'string') return { server: origin };
  }
  return {};
}

/** What helps: under the short name that every hint uses, and for a secret that is not there how to put it. */
function nextStep(code: string, message: string, next: string | undefined): { readonly next?: string } {
  if (next !== undefined) return { next: next.replaceAll(/(?<![\w/.-])palisade (?=[a-z])/g, 'pal ') };
  const secret = code === 'secret_missing' ? /\bsecret:([A-Za-z0-9._:~-]+)/.exec(message)?.[1] : undefined;
  return secret === undefined ? {} : { next: `pal secret put ${secret}` };
}

function textMember<K extends string>(error: object, key: K): { readonly [P in K]?: string } {
  const value: unknown = Reflect.get(error, key);
  return typeof value === 'string' ? ({ [key]: value } as { [P in K]: string }) : {};
}

const SHOWN_ISSUES = 50;

/** The lines of cli.md §5. */
export function failureLines(failure: Failure, style: RowStyle): string[] {
  const lines = [`${style.paint('bad', 'failed:')} ${foreignLine(failure.message)}`];
  if (failure.why !== undefined) lines.push(`  why   ${foreignLine(failure.why)}`);
  if (
    failure.issues.length > 1 ||
    (failure.issues.length === 1 && !failure.message.includes(failure.issues[0]?.message ?? ''))
  ) {
    for (const issue of failure.issues.slice(0, SHOWN_ISSUES))
      lines.push(`  at    ${foreignLine(issue.path)}: ${foreignLine(issue.message)}`);
    if (failure.issues.length > SHOWN_ISSUES)
      lines.push(`  and   ${failure.issues.length - SHOWN_ISSUES} more (--json lists all)`);
  }
  if (failure.next !== undefined) lines.push(`  next  ${foreignLine(failure.next)}`);
  const server = failure.server === undefined ? '' : `server ${failure.server}  `;
  lines.push(`  code ${failure.code}  ${server}${failure.retryable ? 'retryable' : 'not retryable'}`);
  return lines;
}

/** The document `--json` prints instead of an answer. */
export function failureDocument(failure: Failure): object {
  return {
    error: {
      code: failure.code,
      message: failure.message,
      ...(failure.why === undefined ? {} : { hint: failure.why }),
      ...(failure.next === undefined ? {} : { next: failure.next }),
      ...(failure.issues.length === 0 ? {} : { issues: failure.issues }),
      retryable: failure.retryable,
      ...(failure.server === undefined ? {} : { server: failure.server }),
    },
  };
}
