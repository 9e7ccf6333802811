import type { Caller, PalisadeError, PresentedSession } from '@palisade/contracts';
import type { Exchange } from '../http/exchange.ts';

/** A request as the tools see it. */
export interface McpCall {
  /** Not bound to a session yet: one that is not registered has to be registered by a tool. */
  readonly caller: Caller;
  /** What is presented of a harness session. */
  readonly presented: PresentedSession | undefined;
  /** The caller, bound to that session. Raises `authentication_required`. */
  readonly bound: () => Promise<Caller>;
  readonly requestId: string;
  readonly exchange: Exchange;
  /** Told which operation it turned out to be. */
  readonly onOperation: (id: string) => void;
  readonly onFault: (error: unknown) => void;
  /** Told that the credential went bad meanwhile: that is no matter of tools. */
  readonly onUnauthenticated: (error: PalisadeError) => void;
}
