import {
  type BoundOperation,
  type CallContext,
  type Caller,
  DEFAULT_PROJECT,
  type PresentedSession,
} from '@palisade/contracts';
import type { CallDeps } from './assert-callable.ts';
import type { Exchange } from './exchange.ts';
import { inOperationSpan } from './tracing.ts';

/** A call that may be made, as every surface comes to it. */
export interface SettledCall {
  readonly caller: Caller;
  readonly requestId: string;
  /** Null for an operation of the installation. */
  readonly project: string | null;
  readonly idempotencyKey: string | undefined;
  /** What is presented of a harness session; told only to an operation that judges it. */
  readonly presented: PresentedSession | undefined;
  /** Of a request that a browser's session makes, or nobody. */
  readonly browser?: NonNullable<CallContext['browser']>;
  readonly input: unknown;
  /** Length of the body that the input came in. */
  readonly bytes: number;
  readonly exchange: Exchange;
  /** In place of the exchange's. */
  readonly signal?: AbortSignal;
}

/** Calls an operation for somebody: here alone it is decided what a handler learns of a call (AO-129). Raises what the handler raises. */
export async function callOperation(
  { asCaller, cursors }: Pick<CallDeps, 'asCaller' | 'cursors'>,
  { operation, handler }: BoundOperation,
  call: SettledCall,
): Promise<unknown> {
  const { caller, requestId, project, idempotencyKey, presented, browser, input, exchange } = call;
  const context = {
    actor: caller.actor,
    caller,
    project: project ?? DEFAULT_PROJECT,
    requestId,
    get signal() {
      return call.signal ?? exchange.signal;
    },
    ...(operation.session === undefined || presented === undefined ? {} : { presented }),
    ...(browser === undefined ? {} : { browser }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
  const work = (): Promise<unknown> =>
    inOperationSpan(operation.id, () =>
      asCaller(caller, async () => {
        const given = await cursors.opened(operation, project, input);
        return cursors.sealed(operation, project, await handler(given, context));
      }),
    );
  // What only reads does its work here and now; what changes something waits for others, and nobody else should wait with it.
  return operation.effect === 'read' ? exchange.inTurn(call.bytes, work) : work();
}
