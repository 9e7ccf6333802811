import { originOf } from '@palisade/client';
import { isPalisadeError, PalisadeError } from '@palisade/contracts';
import type { Config } from '../config/config.ts';
import { keptOrigins } from './credentials.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The origin of the server that is set, or undefined. A value that names none is told with where it was set, and how it is taken out. */
export function setServer(config: Config): string | undefined {
  const { source, where, value } = config.winner('server');
  if (value === undefined) return undefined;
  try {
    return originOf(value);
  } catch (error) {
    if (!isPalisadeError(error)) throw error;
    const out = { environment: `unset ${where}`, repository: 'pal config unset server --repo' } as const;
    throw new PalisadeError(error.code, `the server that ${where} sets is none: ${error.message}`, {
      ...(error.next === undefined ? {} : { why: error.next }),
      next: source === 'environment' || source === 'repository' ? out[source] : 'pal config unset server',
      cause: error,
    });
  }
}

/** The one server that a credential is kept for here; undefined where there are several, or none that can be read. */
export function onlyKnownServer(env: Env): string | undefined {
  try {
    const origins = keptOrigins(env);
    return origins.length === 1 ? origins[0] : undefined;
  } catch {
    // Only a hint hangs on it: whoever uses the credential is told what is wrong.
    return undefined;
  }
}

/** That there is no control plane here, for somebody who has signed in to a server and has not set it. */
export function namingKnownServer(error: unknown, config: Config, env: Env): unknown {
  if (!isPalisadeError(error, 'not_initialized') || config.winner('server').isNone === true) return error;
  const origin = onlyKnownServer(env);
  if (origin === undefined) return error;
  return new PalisadeError('not_initialized', error.message, {
    why: `you are signed in to ${origin}, and no server is set`,
    next: `pal config set server ${origin}`,
    cause: error,
  });
}
