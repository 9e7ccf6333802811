import { accountSettings } from './account-settings.ts';
import { compose } from './compose.ts';
import { describeFault } from './engine-log.ts';
import { announceEngine, withdrawEngine } from './engine-sign.ts';
import { GuardedCalls } from './http/guarded-database.ts';
import { assertSheltered, type Listening, parseListen } from './http/listen.ts';
import { startServer } from './http/start-server.ts';
import { inControlPlaneHome } from './in-control-plane-home.ts';
import { layoutOf } from './layout.ts';
import { operatorSettings } from './operator-settings.ts';
import { PUBLIC_ORIGIN, publicOriginOf } from './public-origin.ts';
import { type RunningEngine, runEngine } from './run-engine.ts';

export interface ServeOptions {
  /** The project's root, which holds `.palisade/` or is to. */
  readonly directory: string;
  /** `HOST:PORT`. */
  readonly listen: string;
  /** Something in front terminates TLS: then it may be reached from outside this machine. */
  readonly isBehindTls?: boolean;
  /** How it is called from outside; see {@link publicOriginOf}. */
  readonly publicOrigin?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes one line of the structured log. */
  readonly onLine: (line: Readonly<Record<string, unknown>>) => void;
}

export interface Serving {
  readonly url: string;
  /** Whether a person had an account when it began. */
  readonly hasPeople: boolean;
  /** Answers what is under way, stops without stopping any attempt, and closes the database. */
  close(): Promise<void>;
}

/**
 * Serves a control plane over HTTP, with the engine in this process. Raises `invalid_input` for an address that is none,
 * `requirements_unmet` for one that would be open without TLS or has TLS and no public origin, and `start_failed` when it is taken.
 */
export async function serve(options: ServeOptions): Promise<Serving> {
  const address = parseListen(options.listen);
  const isBehindTls = options.isBehindTls === true;
  assertSheltered(address, isBehindTls);
  const publicOrigin = publicOriginOf(
    options.publicOrigin ?? options.env[PUBLIC_ORIGIN],
    address,
    isBehindTls,
  );
  const layout = layoutOf(options.directory);
  const line = (event: string, facts: object): void =>
    options.onLine({ time: new Date().toISOString(), event, ...facts });
  const calls: GuardedCalls = new GuardedCalls((tx, caller) => composition.identity.recheck(tx, caller));
  const composition = await inControlPlaneHome(layout, true, () =>
    compose({
      layout,
      ...operatorSettings(options.env),
      pausesOnRollback: true,
      accounts: accountSettings(options.env, publicOrigin),
      guard: (database) => calls.guard(database),
      onWarning: (warning) => line('warning', { warning }),
      onFault: (error, about) => line('fault', { about, fault: describeFault(error) }),
    }),
  );
  let server: Listening | undefined;
  let engine: RunningEngine | undefined;
  const close = async (): Promise<void> => {
    // Whoever looks for an engine from now on starts one of its own: this one takes up nothing more.
    await withdrawEngine(composition.plane.engineFile);
    await server?.close();
    await engine?.stop();
    await composition.close();
  };
  try {
    server = await startServer({
      composition,
      calls,
      authenticate: (token) => composition.identity.authenticate(token),
      hasProject: composition.hasProject,
      address,
      isBehindTls,
      publicOrigin,
      onLine: options.onLine,
    });
    engine = await runEngine(composition, (warning) => line('warning', { warning }));
    await announceEngine(composition.plane.engineFile);
    return { url: server.url, hasPeople: await composition.identity.hasPeople(), close };
  } catch (error) {
    await close();
    throw error;
  }
}
