import { originOf, remoteCaller } from '@palisade/client';
import { PalisadeError } from '@palisade/contracts';
import type { Config } from '../config/config.ts';
import type { ControlPlane } from '../control-plane.ts';
import { tokenFor } from './credentials.ts';

/** A server in the place of a control plane in process: the same operations, and an engine that is the server's business. */
export function openServer(
  config: Config,
  directory: string,
  env: Readonly<Record<string, string | undefined>>,
  onRetry: (error: PalisadeError) => void,
): ControlPlane {
  const { source, where, value = '' } = config.winner('server');
  const origin = originOf(value);
  const token = tokenFor(origin, env);
  if (token === undefined)
    throw new PalisadeError('authentication_required', `there is no credential for ${origin}`, {
      // Whoever wrote the repository would be given what is pasted there.
      ...(source === 'repository' ? { why: `only ${where} names that server` } : {}),
      next: source === 'repository' ? `if you trust it: pal login ${origin}` : `pal login ${origin}`,
    });
  const remote = remoteCaller({ origin, token, onRetry });
  return {
    call: (operation, input, context) => remote.call(operation, input, context),
    directory,
    database: `server ${origin}`,
    isReadOnly: false,
    repeatsCalls: true,
    close: async () => {},
    ensureEngine: async () => {},
    engineLives: async () => true,
    exists: () => true,
  };
}
