import * as z from 'zod';
import type { Browser } from './browser.ts';
import { type Access, assertMay, type Caller, DEFAULT_PROJECT, hostCaller } from './caller.ts';
import { type ErrorCode, PalisadeError } from './errors.ts';
import type { PresentedSession } from './presented-session.ts';
import { parseInput } from './schema.ts';

/** Placeholder of a path that names the project rather than a field of the input. */
const PROJECT = '{project}';

/** An operation, declared once: every surface (in process, command line, HTTP, OpenAPI, MCP and the SDK) follows from this value. */
export interface Operation<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  /** `<noun>.<verb>`; the MCP tool is the same with underscores. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** From the root, as OpenAPI writes it: what is in braces is a field of the input, but for `{project}`. */
  readonly path: `/v1/${string}`;
  readonly summary: string;
  /** `read` changes nothing, `mutation` changes one project's state, `privileged` changes what others may do. */
  readonly effect: 'read' | 'mutation' | 'privileged';
  /** What a caller needs; see {@link Access}. */
  readonly access: Access;
  readonly input: I;
  readonly output: O;
  /** Of an operation that answers with a stream: one frame of it. */
  readonly frame?: z.ZodType;
  /** `presented`: what is presented of a harness session is the operation's own to judge; else a surface refuses what is not good. */
  readonly session?: 'presented';
  /** It ends or removes what is there; when absent, what DELETE does. */
  readonly isDestructive?: boolean;
  /** Longest JSON body of a request over HTTP; 1 MiB when absent. */
  readonly bodyBytes?: number;
  /** Longest JSON of an answer that a client takes; `limits.answerBytes` when absent. */
  readonly answerBytes?: number;
  /** Codes a caller should expect besides `invalid_input` and `internal`. */
  readonly errors: readonly ErrorCode[];
}

/** The operation's id as a name in other languages and protocols: `runs.get` is `runs_get`. */
export function nameOf({ id }: Operation): string {
  return id.replaceAll(/[.-]/g, '_');
}

/**
 * True when a call carries an idempotency key: of every change but those of whoever is nobody yet, such as a sign-in, which makes
 * another session each time (AC-024, AO-261).
 */
export function isKeyed({ effect, access }: Operation): boolean {
  return effect !== 'read' && access !== 'anonymous';
}

/** True when the operation is about one project. */
export function isOfProject({ path }: Operation): boolean {
  return path.includes(PROJECT);
}

/** True when the operation is about the account and the sign-ins of whoever calls: for people in a browser, and nobody's tool. */
export function isOfOwnAccount({ path }: Operation): boolean {
  return /^\/v1\/(auth|browser-sessions)\b/.test(path);
}

/** The output of an operation that answers frame by frame, until there are no more or its caller leaves. */
export function streamOf<F extends z.ZodType>(
  frame: F,
): { readonly frame: F; readonly output: z.ZodType<AsyncIterable<z.output<F>>> } {
  return { frame, output: z.custom<AsyncIterable<z.output<F>>>() };
}

const declared: Operation[] = [];

/** Declares an operation. */
export function operation<I extends z.ZodType, O extends z.ZodType>(
  declaration: Operation<I, O>,
): Operation<I, O> {
  declared.push(declaration);
  return Object.freeze(declaration);
}

/** Every operation that is declared, in the order of their ids: what the API consists of. */
export function declaredOperations(): readonly Operation[] {
  return declared.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Who calls, of which project, and how the call is made repeatable. */
export interface CallContext {
  /** Recorded identity such as `human:ada`; it is not authorisation (DI-003). */
  readonly actor: string;
  readonly caller: Caller;
  /** Of an operation of the installation it means nothing. */
  readonly project: string;
  readonly idempotencyKey?: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
  /** As the surface named the request, when it did. */
  readonly requestId?: string;
  /** Of an operation that judges it itself, where something is presented. */
  readonly presented?: PresentedSession;
  /** Over HTTP, of whoever signs in or signed in; a caller with a token has none. */
  readonly browser?: Browser;
}

/** Implements one operation: input is already parsed. */
export type Handler<Op extends Operation> = (
  input: z.output<Op['input']>,
  context: CallContext,
) => Promise<z.output<Op['output']>>;

/** An operation with its implementation, as a room's constructor returns them. */
export interface BoundOperation {
  readonly operation: Operation;
  readonly handler: (input: unknown, context: CallContext) => Promise<unknown>;
}

/** Calls operations; the in-process control plane and a remote client look the same to a caller. */
export interface OperationCaller {
  call<Op extends Operation>(
    operation: Op,
    input: z.input<Op['input']>,
    context?: Partial<CallContext>,
  ): Promise<z.output<Op['output']>>;
}

/**
 * Binds an implementation to its operation. Before the handler sees it the caller's right is checked, so that no surface can leave
 * that out, and then the input parsed (`invalid_input`).
 */
export function bindOperation<Op extends Operation>(operation: Op, handler: Handler<Op>): BoundOperation {
  const ofProject = isOfProject(operation);
  return Object.freeze({
    operation,
    handler: async (input: unknown, context: CallContext) => {
      assertMay(context.caller, operation.access, ofProject ? context.project : null);
      return handler(
        parseInput<z.output<Op['input']>>(operation.input as never, input, `input of ${operation.id}`),
        context,
      );
    },
  });
}

/**
 * Calls bound operations in process, as whoever holds the control plane's own files. `actor` is recorded where a call names nobody
 * else. Raises `internal` when an id is bound twice (here) or not at all (at the call).
 */
export function callerOf(bound: readonly BoundOperation[], actor = 'system:local'): OperationCaller {
  const defaults: CallContext = { actor, caller: hostCaller(actor), project: DEFAULT_PROJECT };
  const handlers = new Map<string, BoundOperation['handler']>();
  for (const { operation, handler } of bound) {
    if (handlers.has(operation.id))
      throw new PalisadeError('internal', `the operation ${operation.id} is bound twice`);
    handlers.set(operation.id, handler);
  }
  return {
    async call<Op extends Operation>(
      operation: Op,
      input: z.input<Op['input']>,
      context: Partial<CallContext> = {},
    ): Promise<z.output<Op['output']>> {
      const handler = handlers.get(operation.id);
      if (handler === undefined)
        throw new PalisadeError('internal', `the operation ${operation.id} is not bound here`);
      return (await handler(input, { ...defaults, ...context })) as z.output<Op['output']>;
    },
  };
}
