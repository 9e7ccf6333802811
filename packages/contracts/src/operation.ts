import type * as z from 'zod';
import type { ErrorCode } from './errors.ts';

/**
 * An operation, declared once; every surface (in process, command line, and later HTTP, MCP and the
 * SDK) follows from this value.
 */
export interface Operation<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  /** `<noun>.<verb>`; the MCP tool is the same with an underscore. */
  readonly id: string;
  readonly summary: string;
  /** `read` changes nothing, `mutation` changes one project's state, `privileged` changes what others may do. */
  readonly effect: 'read' | 'mutation' | 'privileged';
  readonly input: I;
  readonly output: O;
  /** Codes a caller should expect besides `invalid_input` and `internal`. */
  readonly errors: readonly ErrorCode[];
}

export function operation<I extends z.ZodType, O extends z.ZodType>(
  declaration: Operation<I, O>,
): Operation<I, O> {
  return Object.freeze(declaration);
}

/** Who calls and how the call is made repeatable. */
export interface CallContext {
  /** Recorded identity such as `human:ada`; it is not authorisation (DI-003). */
  readonly actor: string;
  readonly idempotencyKey?: string;
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
