import { hostname } from 'node:os';
import { join } from 'node:path';
import {
  ATTEMPT_FILES,
  type Authorizer,
  type BoundOperation,
  DEFAULT_PROJECT,
  firewall,
  limits,
  type SandboxProvider,
} from '@palisade/contracts';
import {
  Deliverer,
  deliveryFigures,
  endpointNames,
  notifyOutside,
  offerResults,
  sinkOperations,
  subscribe,
  webhookOperations,
} from '@palisade/automation';
import {
  countEvents,
  deployOperations,
  Engine,
  growthMaterial,
  heldToResult,
  type Housekeeping,
  housekeeping,
  metricOperations,
  type PlanDeps,
  planOperations,
  queueOperations,
  prepareAttempt,
  assertNoCredentials,
  holdSchedules,
  openDefaultQueue,
  registry,
  scheduleOperations,
  Scheduler,
  ShapeCatalogue,
} from '@palisade/dispatch';
import {
  type Database,
  EgressClient,
  fileBlobStore,
  fileNamedFiles,
  jobFigures,
  loadMasterKey,
  openDatabase,
  secretStore,
  JournalWatch,
} from '@palisade/kernel';
import {
  Attester,
  evidenceOperations,
  hasOpenRuns,
  isActiveKey,
  isDeadOwner,
  isOpenAttempt,
  isRetiredKey,
  knownOrigin,
  logOrigin,
  ownerName,
  projectOfRun,
  rememberKey,
  Sealer,
  sweepAttempts,
  workerExecutor,
} from '@palisade/runs';
import { type Identity, identity, type IdentityDeps, type Projects, projects } from '@palisade/identity';
import { memoryOperations } from '@palisade/memory/served';
import { release } from '@palisade/workspace';
import { DOCKER_VARIABLES } from '@palisade/sandbox-docker';
import type { AttestationSetting } from './attestation-setting.ts';
import { compileCacheEnvironment } from './compile-cache.ts';
import { discoveryOperations } from './discovery/discovery-operations.ts';
import { type Layout, type PlaneLayout, planeLayoutOf } from './layout.ts';
import { isOfferedIn, locateBase } from './locate-base.ts';
import { processEntry } from './process-entry.ts';
import { ProjectGate } from './project-gate.ts';
import { assertOwnHome } from './own-home.ts';
import { roomMigrations } from './room-migrations.ts';
import { chooseSandbox, sandboxProviders } from './sandbox-choice.ts';
import { EXECUTOR_MODULES, executorsOf } from './executor-modules.ts';
import { givenBlobs } from './given-blobs.ts';
import { givenSigner } from './given-signer.ts';
import { SANDBOX_MODULES } from './sandbox-modules.ts';
import type { Modules, Seams } from './seams.ts';
import { fileSigningKeys } from './signer-key.ts';

/** Names or `PREFIX*` the operator lets through the environment firewall (DI-109). */
const ENV_ALLOW: readonly string[] = [];

/** A worker shows life every second; a busy machine may let it wait for a few. */
const LEAST_SILENCE_MS = 5_000;

/** A composed installation: its operations, and the parts that do work when a process runs them. */
export interface Composition {
  readonly operations: readonly BoundOperation[];
  readonly engine: Engine;
  readonly sealer: Sealer;
  readonly database: Database;
  readonly housekeeping: Housekeeping;
  readonly scheduler: Scheduler;
  readonly deliverer: Deliverer;
  readonly plane: PlaneLayout;
  /** Who may call from outside. */
  readonly identity: Identity;
  /** Whether there is such a project, archived or not. */
  readonly hasProject: (project: string) => Promise<boolean>;
  /** Removes what crashed processes left of ended attempts. */
  readonly sweep: () => Promise<number>;
  readonly close: () => Promise<void>;
}

/** What an operator decides of people's accounts. */
export type AccountSettings = Pick<IdentityDeps, 'publicOrigin' | 'insecureLoopback' | 'mailer'>;

export interface ComposeOptions {
  readonly layout: Layout;
  /** `postgres://…`, or absent for the SQLite file of the layout. */
  readonly databaseUrl?: string;
  /** How long an engine owns a run without renewing it; see {@link leaseSetting}. */
  readonly leaseMs?: number;
  /** How long ended runs are kept, ms; null or absent: for ever. See {@link retentionSetting}. */
  readonly retentionMs?: number | null;
  /** After how many days without a change a harness session is closed; absent or 0: never. See {@link sessionIdleSetting}. */
  readonly sessionIdleDays?: number;
  /** The operator's policy; see {@link policySetting}. An authorizer of the seams takes its place. */
  readonly policy?: Authorizer | undefined;
  /** Who attests the evidence log; absent: nobody. See {@link attestationSetting}. */
  readonly attestation?: AttestationSetting;
  /** True where others depend on it: a clock that went back pauses what grants authority (AC-275). */
  readonly pausesOnRollback?: boolean;
  /** Told of trouble in the making, such as a database log that cannot shrink. Default: a process warning. */
  readonly onWarning?: (message: string) => void;
  /** Opens a control plane on a full disk for reading instead of refusing it. */
  readonly readWhenFull?: boolean;
  readonly onFault: (error: unknown, runId: string) => void;
  /** Parts that somebody else brings; see {@link Seams}. */
  readonly seams?: Seams;
  /** Modules of the operator. Default: those that the environment of this process names. */
  readonly modules?: Modules;
  /** How people reach what is served; absent: only programs do. See {@link accountSettings}. */
  readonly accounts?: AccountSettings;
  /** The database as operations see it; engine, sealer and loops see the one below. */
  readonly guard?: (database: Database) => Database;
}

/** Connects every room with what it needs of the others. Nothing runs until the engine is started. */
export async function compose(options: ComposeOptions): Promise<Composition> {
  const { layout, onFault, seams = {} } = options;
  await assertOwnHome(layout.home);
  let watch: JournalWatch | undefined;
  const database = await openDatabase({
    url: options.databaseUrl ?? layout.database,
    pausesOnRollback: options.pausesOnRollback === true,
    migrations: roomMigrations.flat(),
    onEvents: async (tx, events) => {
      await notifyOutside(tx, events);
      await offerResults(tx, events, projectOfRun);
      await countEvents(tx, events);
      await watch?.onEvents(tx, events);
    },
    ...(options.readWhenFull === true ? { readWhenFull: true } : {}),
    ...(seams.clock === undefined ? {} : { wallClock: seams.clock }),
    onFault: (error) => onFault(error, ''),
    ...(options.onWarning === undefined ? {} : { onWarning: options.onWarning }),
  });
  watch = new JournalWatch(database);
  return connect(options, database, watch).catch(async (error: unknown) => {
    // What is open keeps a process alive that was refused.
    await database.close();
    throw error;
  });
}

async function connect(
  options: ComposeOptions,
  database: Database,
  watch: JournalWatch,
): Promise<Composition> {
  const { layout, onFault, seams = {}, modules = environmentModules(process.env) } = options;
  const keys =
    seams.signer === undefined
      ? fileSigningKeys(layout.signerKey, {
          isActive: (keyid) => database.read((tx) => isActiveKey(tx, keyid)),
          isRetired: (keyid) => database.read((tx) => isRetiredKey(tx, keyid)),
        })
      : givenSigner(seams.signer);
  const gate = new ProjectGate(() => projectRooms);
  const guarded = gate.guard(options.guard?.(database) ?? database);
  const signer = await keys.current();
  const origin =
    (await database.read((tx) => knownOrigin(tx, signer.keyid))) ??
    (await database.write(async (tx) => {
      await rememberKey(tx, { keyid: signer.keyid, alg: signer.alg, spkiDer: signer.publicKeySpkiDer });
      return logOrigin(tx, () => `palisade.local/${hostname()}/${crypto.randomUUID()}`);
    }));
  const plane = planeLayoutOf(layout, origin);
  const files = fileNamedFiles(plane.log);
  const blobs = seams.blobs === undefined ? fileBlobStore(plane.blobs) : givenBlobs(seams.blobs);
  const masterKey = await loadMasterKey({ directory: layout.home, create: true });
  const secrets = (project: string) => secretStore({ database: guarded, masterKey, project });
  const names = registry({ database: guarded, blobs, secrets });
  const attester = new Attester({
    database,
    files,
    authority: options.attestation?.authority ?? null,
    witnesses: options.attestation?.witnesses ?? [],
    owner: ownerName('attester'),
    leaseMs: options.leaseMs ?? limits.leaseMs,
    onFault: (error) => onFault(error, ''),
  });
  const sealer = new Sealer({
    attester,
    database,
    files,
    keys,
    origin,
    owner: ownerName('sealer'),
    ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
    onFault,
  });
  const providers = await sandboxProviders(modules.sandboxes ?? '');
  const isOpen = (attemptId: string): Promise<boolean> => isOpenAttempt(database, attemptId);
  const executor = workerExecutor({
    name: 'local',
    root: plane.attempts,
    blobs,
    command: [process.execPath, processEntry('worker-process')],
    env: { ...workerEnvironment(modules), ...compileCacheEnvironment() },
    reap: (attemptId, stateDir, provider) => reapAttempt(providers, attemptId, stateDir, provider),
    ...(options.leaseMs === undefined ? {} : { silenceMs: Math.max(LEAST_SILENCE_MS, options.leaseMs) }),
    isOpen,
    release: (attemptDir) => release(workspaceOf(attemptDir)),
    onFault,
  });
  const executors = await executorsOf(executor, {
    modules: modules.executors,
    factories: seams.executors ?? [],
    host: { blobs, directory: plane.executors, isOpen, onFault },
  });
  const authorizer = seams.authorizer ?? options.policy;
  const authority =
    authorizer === undefined
      ? {}
      : { authority: { authorizer, timeoutMs: limits.authorizeMs, patienceMs: limits.undecidedMs } };
  const engine = new Engine({
    database,
    executors,
    ...authority,
    prepare: (attempt) =>
      prepareAttempt(
        {
          blobPath: (hash) => blobs.path(hash),
          environment: (hash) => names.environmentAt(hash),
          secrets: (project, environments) => names.of(project).environmentSecrets(environments),
          modelCredential: (project, endpoint) => names.of(project).modelCredential(endpoint),
          envAllow: ENV_ALLOW,
        },
        attempt,
      ),
    judge: (item, end) => heldToResult(blobs, item.shape, end),
    material: (item, end) => growthMaterial(blobs, item, end),
    onFault,
    ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
    onFinished: (runId) => sealer.add(runId),
  });
  const sweep = () => sweepAttempts(database, plane.attempts, executor, onFault);
  // It asks by itself whether the caller still may, and records what it refused.
  const people = identity({
    database,
    scanText: (text, place) => assertNoCredentials(place, text),
    ...options.accounts,
    ...(options.sessionIdleDays === undefined ? {} : { sessionIdleDays: options.sessionIdleDays }),
  });
  const chores = housekeeping({
    database: guarded,
    blobs,
    // What it forgets is forgotten of every project.
    secrets: secrets(DEFAULT_PROJECT),
    retentionMs: options.retentionMs ?? null,
    idleSessions: people.idleSessions,
    sweepAttempts: sweep,
    owner: ownerName('housekeeper'),
    ttlMs: options.leaseMs ?? limits.leaseMs,
    isDead: isDeadOwner,
  });
  const isOffered = (repository: string) => isOfferedIn(layout, repository);
  const memory = memoryOperations({ directory: layout.root, isOffered });
  const planDeps: PlanDeps = {
    database: guarded,
    blobs,
    names: (project) => {
      const own = names.of(project);
      return {
        agent: (name) => own.resolveAgent(name),
        capability: (name) => own.resolveCapability(name),
        environment: (name) => own.resolveEnvironment(name),
        modelEndpoint: (name) => own.resolveModelEndpoint(name),
        pipeline: (name) => own.resolvePipeline(name),
      };
    },
    isActive: (tx, project) => projectRooms.isActive(tx, project),
    executors: new Set(executors.keys()),
    shapes: await ShapeCatalogue.of(seams.packs ?? []),
    ...authority,
    retentionMs: options.retentionMs ?? null,
    attemptsRoot: plane.attempts,
    resolveBase: locateBase,
    follow: (positions, signal) => watch.follow(positions, signal),
    isOffered,
    chooseSandbox: (name, isRequired) => chooseSandbox(providers, name, isRequired),
    scanText: (text, place) => assertNoCredentials(place, text),
    notifications: { endpoints: endpointNames, subscribe },
    startRun: (tx, run, plan) => engine.startRun(tx, run, plan),
    onControl: (runId) => engine.poke(runId),
  };
  const outside = {
    database: guarded,
    secrets,
    egress: (allowLocal: boolean) => new EgressClient({ allowLocal }),
  };
  const projectRooms: Projects = projects({
    database,
    ports: {
      isBusy: hasOpenRuns,
      created: openDefaultQueue,
      held: holdSchedules,
      scanText: (text, place) => assertNoCredentials(place, text),
    },
  });
  const operations = [
    ...people.operations,
    ...projectRooms.operations,
    ...discoveryOperations(),
    ...names.operations,
    ...deployOperations({ database: guarded, blobs, secrets }),
    ...chores.operations,
    ...planOperations(planDeps),
    ...scheduleOperations(planDeps),
    ...webhookOperations(outside),
    ...sinkOperations(guarded),
    ...queueOperations(guarded),
    ...memory.operations,
    ...metricOperations(guarded, jobFigures, deliveryFigures),
    ...evidenceOperations({
      database: guarded,
      files,
      origin,
      publish: (how) => sealer.publish(how),
      seal: () => sealer.settle(),
      keys,
      whileUnpublished: (body) => sealer.whileUnpublished(body),
      attest: () => sealer.attest(),
      ...(options.attestation === undefined ? {} : { trusted: options.attestation.trusted }),
    }),
  ].map((bound) => gate.bind(bound, database));
  return {
    operations,
    engine,
    sealer,
    database,
    identity: people,
    hasProject: (project) => projectRooms.exists(project),
    plane,
    housekeeping: chores,
    scheduler: new Scheduler({
      deps: planDeps,
      onFault: (error, schedule) => onFault(error, `schedule ${schedule}`),
    }),
    deliverer: new Deliverer({
      ...outside,
      owner: ownerName('deliverer'),
      ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
      onFault,
    }),
    sweep,
    close: async () => {
      await memory.close();
      await sealer.stop();
      await database.close();
    },
  };
}

/** The modules that an environment names. */
function environmentModules(env: Readonly<Record<string, string | undefined>>): Modules {
  return { sandboxes: env[SANDBOX_MODULES], executors: env[EXECUTOR_MODULES] };
}

/**
 * What a worker starts with: only what its programs may see anyway. An agent of the `process` sandbox
 * can read its worker's environment from /proc, so nothing of the control plane's may be there but
 * what is no secret: a fault to provoke, and where the operator's sandbox modules and Docker engine are.
 */
function workerEnvironment({ sandboxes }: Modules): Record<string, string> {
  const env: Record<string, string> = { ...firewall(process.env, ENV_ALLOW) };
  if (sandboxes !== undefined) env[SANDBOX_MODULES] = sandboxes;
  const passed = ['PALISADE_FAULT', 'PALISADE_FAULT_SIGN', ...DOCKER_VARIABLES];
  for (const name of passed) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}

/**
 * Ends what is left of an attempt, by the provider it ran in: trouble of another one has nothing to do
 * with it. Every provider is asked when nobody knows which it was, or it is not installed any more.
 */
export async function reapAttempt(
  providers: readonly SandboxProvider[],
  attemptId: string,
  stateDir: string,
  name: string | null,
): Promise<void> {
  const own = providers.filter((provider) => provider.name === name);
  for (const provider of own.length > 0 ? own : providers) await provider.reap(attemptId, stateDir);
}

function workspaceOf(attemptDir: string) {
  return {
    directory: join(attemptDir, ATTEMPT_FILES.workspace),
    stateDir: join(attemptDir, ATTEMPT_FILES.workspaceState),
    readOnlyPaths: [],
    base: { kind: 'empty' as const },
  };
}
