import { type RemoteOptions, remoteCaller } from '@palisade/client';
import {
  isPalisadeError,
  type Operation,
  type OperationCaller,
  PalisadeError,
  subscribeEvents,
} from '@palisade/contracts';

/** A server, and a credential for it with the variable or file that it came from. */
export interface ServerAccess {
  readonly origin: string;
  readonly token: string;
  readonly where: string;
}

/** Calls a server. That it does not know the credential is said of where that came from, and never what it is. */
export function serverCaller(
  { origin, token, where }: ServerAccess,
  options: Omit<RemoteOptions, 'origin' | 'token'> = {},
): OperationCaller {
  const caller = remoteCaller({ ...options, origin, token });
  const another =
    where === TOKEN_VARIABLE ? `export a token of ${origin} as ${where}` : `pal login ${origin}`;
  const ofToken = (error: unknown, isInSession: boolean): unknown => {
    if (!isPalisadeError(error, 'authentication_required')) return error;
    const what = `the token from ${where}${isInSession ? ', or the session that the call is made in' : ''}`;
    return new PalisadeError('authentication_required', `${origin} does not accept ${what}`, {
      why: 'it is mistyped, of another server, expired, revoked or closed',
      next: isInSession ? `pal session start; else ${another}` : another,
      cause: error,
    });
  };
  return {
    async call(operation, input, context) {
      const presented = context?.presented ?? options.session;
      const named = (error: unknown): unknown => ofToken(error, presented !== undefined);
      try {
        const answer = await caller.call(operation, input, context);
        return (operation as Operation) === subscribeEvents
          ? (told(answer as never, named) as never)
          : answer;
      } catch (error) {
        throw named(error);
      }
    },
  };
}

export const TOKEN_VARIABLE = 'PALISADE_TOKEN';

async function* told<T>(frames: AsyncIterable<T>, as: (error: unknown) => unknown): AsyncGenerator<T> {
  try {
    yield* frames;
  } catch (error) {
    throw as(error);
  }
}
