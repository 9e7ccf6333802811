import { delimiter, resolve } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import { type EmbeddedOptions, openEmbedded } from '@palisade/server';
import { Calls } from './calls.ts';
import type { OpenOptions } from './open-options.ts';
import { type Palisade, palisadeOf } from './palisade.ts';
import { sinkPorts } from './sink-ports.ts';

/**
 * Opens the control plane of a project, making one where there is none. Until it is closed its engine
 * keeps the process alive.
 *
 * @param where the project's directory, or {@link OpenOptions}
 * @throws PalisadeError `not_initialized` (with `create: false`), `invalid_input` for an option, `database_busy`,
 *   `database_newer`, `storage_full`, `policy_denied` when a repository brings `.palisade/` along
 */
export async function open(where: string | OpenOptions): Promise<Palisade> {
  const options = typeof where === 'string' ? { directory: where } : where;
  assertFits(options);
  const directory = resolve(options.directory);
  const embedded = await openEmbedded({ ...settings(options), directory });
  const calls = new Calls(embedded, () => embedded.keepEngine());
  const serving = embedded.serveSinks(sinkPorts(calls, options.sinks ?? []));
  const sinks = await serving.catch(async (error: unknown) => {
    await embedded.close();
    throw error;
  });
  return palisadeOf(
    calls,
    { ...options, directory },
    {
      // Sinks ask for results as long as calls are answered.
      before: options.sinks === undefined ? undefined : () => sinks.close(),
      after: () => embedded.close(),
    },
  );
}

/** What cannot be handed to a process of its own must not be lost on the way there. */
function assertFits(options: OpenOptions): void {
  if (typeof options.directory !== 'string' || options.directory === '')
    throw new PalisadeError('invalid_input', 'the directory of a project is missing');
  if (options.policy !== undefined && options.authorizer !== undefined)
    throw new PalisadeError('invalid_input', 'policy and authorizer both decide what may be done: give one');
  if (options.engine !== 'detached') return;
  const values = (['blobs', 'signer', 'executors', 'packs', 'authorizer', 'clock'] as const).filter(
    (name) => options[name] !== undefined,
  );
  if (values.length > 0)
    throw new PalisadeError(
      'invalid_input',
      `${values.join(', ')} cannot be handed to an engine in a process of its own`,
      { next: "open with engine: 'embedded', or name the executors by executorModules" },
    );
}

function settings(options: OpenOptions): Omit<EmbeddedOptions, 'directory'> {
  const { database, create, actor, project, engine, leaseMs, retentionDays, policy, onFault } = options;
  const { blobs, signer, executors, packs, authorizer, clock } = options;
  return {
    engine: engine ?? 'embedded',
    create: create ?? true,
    ...(database === undefined ? {} : { database }),
    ...(actor === undefined ? {} : { actor }),
    ...(project === undefined ? {} : { project }),
    ...(leaseMs === undefined ? {} : { leaseMs }),
    ...(retentionDays === undefined ? {} : { retentionDays }),
    ...(policy === undefined ? {} : { policy }),
    ...(onFault === undefined ? {} : { onFault }),
    modules: {
      sandboxes: options.sandboxModules?.join(delimiter) ?? '',
      executors: options.executorModules?.join(delimiter) ?? '',
    },
    seams: {
      ...(blobs === undefined ? {} : { blobs }),
      ...(signer === undefined ? {} : { signer }),
      ...(executors === undefined ? {} : { executors }),
      ...(packs === undefined ? {} : { packs }),
      ...(authorizer === undefined ? {} : { authorizer }),
      ...(clock === undefined ? {} : { clock }),
    },
  };
}
