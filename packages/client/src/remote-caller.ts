import {
  type CallContext,
  DEFAULT_PROJECT,
  isKeyed,
  type Operation,
  type OperationCaller,
  requestOf,
  subscribeEvents,
} from '@palisade/contracts';
import type * as z from 'zod';
import { exchangeWith, type RemoteOptions } from './exchange.ts';
import { followEvents } from './follow-events.ts';

/**
 * Calls the operations of a server, as {@link OperationCaller} calls them in process; see {@link exchangeWith}. A call whose `signal` aborts
 * rejects with its reason; what was sent may have been executed. A stream goes on across connections; see {@link followEvents}.
 */
export function remoteCaller(options: RemoteOptions): OperationCaller {
  const exchange = exchangeWith(options);
  return {
    async call<Op extends Operation>(
      operation: Op,
      input: z.input<Op['input']>,
      context: Partial<CallContext> = {},
    ): Promise<z.output<Op['output']>> {
      const project = context.project ?? options.project ?? DEFAULT_PROJECT;
      if ((operation as Operation) === subscribeEvents) {
        const { run, after } = input as z.input<typeof subscribeEvents.input>;
        const { signal } = context;
        return followEvents(
          { ...options, project },
          {
            runs: run,
            ...(after === undefined ? {} : { after }),
            ...(signal === undefined ? {} : { signal }),
          },
        ) as z.output<Op['output']>;
      }
      const { method, target, body } = requestOf(
        operation,
        input as Readonly<Record<string, unknown>>,
        project,
      );
      const answer = await exchange({
        method,
        target,
        body: body === undefined ? undefined : JSON.stringify(body),
        isChange: isKeyed(operation),
        idempotencyKey: context.idempotencyKey,
        signal: context.signal,
        session: context.presented,
        answerBytes: operation.answerBytes,
      });
      return answer as z.output<Op['output']>;
    },
  };
}
