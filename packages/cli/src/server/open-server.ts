import type { RemoteOptions } from '@palisade/client';
import { type OperationCaller, PalisadeError } from '@palisade/contracts';
import type { Config } from '../config/config.ts';
import type { ControlPlane } from '../control-plane.ts';
import { chosenProject } from './chosen-project.ts';
import { credentialFor } from './credentials.ts';
import { type ChangePlace, PendingChanges } from './pending-changes.ts';
import { type ServerAccess, serverCaller, TOKEN_VARIABLE } from './server-caller.ts';
import { SessionFile } from './session-file.ts';
import { setServer } from './set-server.ts';
import { sessionName, stateDirectory } from './state-directory.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** A server as the settings name it, and the credential for it. */
interface ServerPlace extends Omit<ChangePlace, 'project'>, ServerAccess {
  /** Undefined where none is named. */
  readonly project: string | undefined;
}

/** Whose calls go where, as the settings say. Raises `authentication_required` when there is no credential for that server. */
export function serverPlace(config: Config, env: Env): ServerPlace {
  const { source, where } = config.winner('server');
  const origin = setServer(config);
  if (origin === undefined) throw new PalisadeError('not_initialized', 'no server is set');
  const access = credentialFor(origin, env);
  if (access === undefined)
    throw new PalisadeError('authentication_required', `there is no credential for ${origin}`, {
      // Whoever wrote the repository would be given what is pasted there.
      ...(source === 'repository' ? { why: `only ${where} names that server` } : unheededToken(env)),
      next: source === 'repository' ? `if you trust it: pal login ${origin}` : `pal login ${origin}`,
    });
  return {
    stateDirectory: stateDirectory(config.get('state_dir'), env),
    ...access,
    project: config.get('project'),
    session: sessionName(config.get('session')),
  };
}

/** What somebody has to be told who has set the variable and is not heard. */
function unheededToken(env: Env): { readonly why?: string } {
  return (env[TOKEN_VARIABLE] ?? '') === ''
    ? {}
    : { why: `${TOKEN_VARIABLE} is for the server that PALISADE_SERVER names, and for no other` };
}

/** A server in the place of a control plane in process: the same operations, and an engine that is the server's business. */
export function openServer(
  config: Config,
  directory: string,
  env: Env,
  onRetry: (error: PalisadeError) => void,
): ControlPlane {
  const place = serverPlace(config, env);
  const { origin } = place;
  let chosen: Promise<string> | undefined;
  const project = (): Promise<string> =>
    (chosen ??=
      place.project === undefined
        ? chosenProject(serverCaller(place, { onRetry }))
        : Promise.resolve(place.project));
  /** In the session that was begun for the project which is called about. */
  const within = (options: Omit<RemoteOptions, 'origin' | 'token'>): OperationCaller => ({
    call: async (operation, input, context = {}) => {
      const about = context.project ?? (await project());
      const session = context.presented ?? new SessionFile({ ...place, project: about }).presented();
      const caller = serverCaller(place, {
        ...options,
        project: about,
        ...(session === undefined ? {} : { session }),
      });
      return caller.call(operation, input, context);
    },
  });
  const here = async (stateDirectory = place.stateDirectory): Promise<ChangePlace> => ({
    ...place,
    stateDirectory,
    project: await project(),
  });
  const changes = async (stateDirectory?: string): Promise<PendingChanges> =>
    new PendingChanges(await here(stateDirectory), (onRepeat) =>
      within({
        onRetry: (error) => {
          onRepeat();
          onRetry(error);
        },
      }),
    );
  return {
    waiting: ({ lost, back }) => within({ patienceMs: Infinity, onRetry: lost, onBack: back }),
    call: async (operation, input, context) => (await changes()).call(operation, input, context),
    sessionFile: async (stateDirectory) => new SessionFile(await here(stateDirectory)),
    changes,
    project,
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
