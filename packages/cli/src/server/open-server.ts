import { originOf, remoteCaller } from '@palisade/client';
import { PalisadeError } from '@palisade/contracts';
import type { ControlPlane } from '../control-plane.ts';
import { tokenFor } from './credentials.ts';

/** A server in the place of a control plane in process: the same operations, and an engine that is the server's business. */
export function openServer(
  server: string,
  directory: string,
  env: Readonly<Record<string, string | undefined>>,
  onRetry: (error: PalisadeError) => void,
): ControlPlane {
  const origin = originOf(server);
  const token = tokenFor(origin, env);
  if (token === undefined)
    throw new PalisadeError('authentication_required', `there is no credential for ${origin}`, {
      next: `pal login ${origin}`,
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
