import { originOf, remoteCaller } from '@palisade/client';
import { DEFAULT_PROJECT, PalisadeError } from '@palisade/contracts';
import type { Config } from '../config/config.ts';
import type { ControlPlane } from '../control-plane.ts';
import { tokenFor } from './credentials.ts';
import { type ChangePlace, PendingChanges } from './pending-changes.ts';
import { sessionName, stateDirectory } from './state-directory.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Whose changes go where, as the settings say. Raises `authentication_required` when there is no credential for that server. */
export function changePlace(config: Config, env: Env): ChangePlace {
  const { source, where, value = '' } = config.winner('server');
  const origin = originOf(value);
  const token = tokenFor(origin, env);
  if (token === undefined)
    throw new PalisadeError('authentication_required', `there is no credential for ${origin}`, {
      // Whoever wrote the repository would be given what is pasted there.
      ...(source === 'repository' ? { why: `only ${where} names that server` } : {}),
      next: source === 'repository' ? `if you trust it: pal login ${origin}` : `pal login ${origin}`,
    });
  return {
    stateDirectory: stateDirectory(config.get('state_dir'), env),
    origin,
    project: config.get('project') ?? DEFAULT_PROJECT,
    session: sessionName(config.get('session')),
    token,
  };
}

/** A server in the place of a control plane in process: the same operations, and an engine that is the server's business. */
export function openServer(
  config: Config,
  directory: string,
  env: Env,
  onRetry: (error: PalisadeError) => void,
): ControlPlane {
  const place = changePlace(config, env);
  const { origin, token, project } = place;
  const changes = new PendingChanges(place, (onRepeat) =>
    remoteCaller({
      origin,
      token,
      project,
      onRetry: (error) => {
        onRepeat();
        onRetry(error);
      },
    }),
  );
  return {
    waiting: ({ lost, back }) =>
      remoteCaller({ origin, token, project, patienceMs: Infinity, onRetry: lost, onBack: back }),
    call: (operation, input, context) => changes.call(operation, input, context),
    changes,
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
