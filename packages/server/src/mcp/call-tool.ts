import {
  type BoundOperation,
  type Caller,
  DEFAULT_PROJECT,
  isOfProject,
  PalisadeError,
} from '@palisade/contracts';
import { assertCallable, type CallDeps } from '../http/assert-callable.ts';
import { callOperation } from '../http/call-operation.ts';
import { idempotencyKeyOf } from '../http/idempotency-key.ts';
import { BODY_BYTES } from '../http/json-body.ts';
import type { McpCall } from './mcp-call.ts';
import { IDEMPOTENCY_KEY, PROJECT } from './tools.ts';

/**
 * Calls an operation with the arguments of a tool: the same checks in the same order as over HTTP, and the same receipt for the same key
 * (AO-129). Raises what the operation raises.
 */
export async function callTool(
  deps: CallDeps,
  bound: BoundOperation,
  given: Readonly<Record<string, unknown>>,
  call: Pick<McpCall, 'caller' | 'presented' | 'bound' | 'requestId' | 'exchange'>,
): Promise<unknown> {
  const { operation } = bound;
  const caller = operation.session === 'presented' ? call.caller : await call.bound();
  const input = { ...given };
  const project = isOfProject(operation) ? projectOf(input, caller) : null;
  await assertCallable(deps, operation, caller, project);
  const key = idempotencyKeyOf(
    operation,
    take(input, operation.effect === 'read' ? null : IDEMPOTENCY_KEY),
    IDEMPOTENCY_KEY,
  );
  const limit = operation.bodyBytes ?? BODY_BYTES;
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes > limit) throw new PalisadeError('too_large', `the arguments are larger than ${limit} bytes`);
  return callOperation(deps, bound, {
    caller,
    requestId: call.requestId,
    project,
    idempotencyKey: key,
    input,
    bytes,
    presented: call.presented,
    exchange: call.exchange,
  });
}

/** The project that is named; else the only one that the caller may see, or the default one. */
function projectOf(input: Record<string, unknown>, { project }: Caller): string {
  return take(input, PROJECT) ?? project ?? DEFAULT_PROJECT;
}

/** Takes an argument that is no field of the operation's input. */
function take(input: Record<string, unknown>, name: string | null): string | undefined {
  if (name === null || !Object.hasOwn(input, name)) return undefined;
  const value = input[name];
  delete input[name];
  if (typeof value !== 'string')
    throw new PalisadeError('invalid_input', `${name} must be a string`, {
      issues: [{ path: name, message: 'must be a string' }],
    });
  return value;
}
