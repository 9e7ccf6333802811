import { ResultSinks, type SinkPort } from '@palisade/automation';
import { callerOf, type OperationCaller } from '@palisade/contracts';
import { userName } from '@palisade/process/user-name';
import { compose } from './compose.ts';
import { databaseSetting } from './database-setting.ts';
import { engineLog } from './engine-log.ts';
import { ensureEngine } from './ensure-engine.ts';
import { EXECUTOR_MODULES } from './executor-modules.ts';
import { inControlPlaneHome } from './in-control-plane-home.ts';
import { layoutOf } from './layout.ts';
import { leaseSetting } from './lease-setting.ts';
import { POLICY, policySetting } from './policy-setting.ts';
import { retentionSetting } from './retention-setting.ts';
import { type RunningEngine, runEngine } from './run-engine.ts';
import { SANDBOX_MODULES } from './sandbox-modules.ts';
import type { Modules, Seams } from './seams.ts';

/** How a program that embeds the product opens a control plane. Its environment decides nothing of this. */
export interface EmbeddedOptions {
  readonly directory: string;
  readonly create: boolean;
  /** `embedded`: an engine in this process; `detached`: one in a process of its own, started when needed. */
  readonly engine: 'embedded' | 'detached' | 'none';
  /** `postgres://…`, or absent for the SQLite file. */
  readonly database?: string;
  readonly actor?: string;
  /** The project that calls are about which name none, and whose runs sinks are given. */
  readonly project?: string;
  readonly leaseMs?: number;
  readonly retentionDays?: number;
  readonly policy?: string;
  readonly modules: Modules;
  readonly seams: Seams;
  readonly onFault?: (error: unknown, about: string) => void;
}

/** The operations in process, and what carries their runs out. */
export interface Embedded extends OperationCaller {
  /** Sees to an engine for runs that nobody owns, in the way that was chosen. */
  keepEngine(): Promise<void>;
  /** Begins to offer runs that end to sinks; whoever asked stops it before it closes. Raises `invalid_input`. */
  serveSinks<Result>(sinks: readonly SinkPort<Result>[]): Promise<ResultSinks<Result>>;
  /** Gives the runs of this process's engine up, seals what has ended, and closes the database. */
  close(): Promise<void>;
}

/** Opens a control plane for a program; see {@link EmbeddedOptions}. Raises `not_initialized` and `invalid_input`. */
export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  // The same rules as for the operator's variables, which are where these values come from otherwise.
  const env = settingsAsVariables(options);
  const databaseUrl = databaseSetting(env);
  const leaseMs = leaseSetting(env);
  const retentionMs = retentionSetting(env);
  const layout = layoutOf(options.directory);
  const log = engineLog(layout.engineLog);
  const onFault = options.onFault ?? log.fault;
  const composition = await inControlPlaneHome(layout, options.create, () =>
    compose({
      layout,
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
      ...(leaseMs === undefined ? {} : { leaseMs }),
      retentionMs,
      policy: policySetting(env),
      onWarning: (message) => log.line(`warning: ${message}`),
      onFault,
      seams: options.seams,
      modules: options.modules,
    }),
  );
  const { sealer, plane, database } = composition;
  let engine: RunningEngine | null = null;
  try {
    if (options.engine === 'embedded') engine = await runEngine(composition, log.line);
  } catch (error) {
    await composition.close();
    throw error;
  }
  const within = options.project === undefined ? {} : { project: options.project };
  const caller = callerOf(composition.operations, options.actor ?? `human:${userName()}`);
  return {
    call: (operation, input, context) => caller.call(operation, input, { ...within, ...context }),
    async keepEngine() {
      if (options.engine !== 'detached') return;
      await ensureEngine({ layout, engineFile: plane.engineFile, databaseUrl, env });
    },
    serveSinks: (sinks) =>
      ResultSinks.start({
        database,
        sinks,
        ...within,
        onFault,
        ...(leaseMs === undefined ? {} : { leaseMs }),
        ...(options.seams.clock === undefined ? {} : { wallClock: options.seams.clock }),
      }),
    async close() {
      await engine?.stop();
      if (engine !== null) await sealer.settle();
      await composition.close();
    },
  };
}

function settingsAsVariables({ database, leaseMs, retentionDays, policy, modules }: EmbeddedOptions) {
  return {
    PALISADE_DATABASE_URL: database ?? '',
    PALISADE_LEASE_MS: leaseMs === undefined ? '' : `${leaseMs}`,
    PALISADE_RETENTION_DAYS: retentionDays === undefined ? '' : `${retentionDays}`,
    [POLICY]: policy ?? '',
    [SANDBOX_MODULES]: modules.sandboxes ?? '',
    [EXECUTOR_MODULES]: modules.executors ?? '',
  };
}
