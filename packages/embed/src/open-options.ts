import type { Authorizer, BlobStore, ExecutorFactory, Shape, Signer } from '@palisade/contracts';
import type { ResultSink } from './result-sink.ts';

/** How a control plane is opened. Only `directory` has to be given; nothing is read of the environment but the master key and Docker's address. */
export interface OpenOptions {
  /** The project: `.palisade/` in it holds keys, content and running attempts, and the SQLite file. */
  readonly directory: string;
  /** `postgres://…` in place of the SQLite file. */
  readonly database?: string;
  /** False refuses a directory without a control plane with `not_initialized` instead of making one. */
  readonly create?: boolean;
  /** Recorded as who asked, such as `service:nightly`; it authorises nothing. Default: `human:<user>`. */
  readonly actor?: string;
  /** Key of the project that everything here is about, also what sinks are given; it has to be there. Default: `default`. */
  readonly project?: string;
  /**
   * Who carries runs out. `embedded`: an engine in this process, while it is open. `detached`: a process of its own,
   * started when needed, that outlives this one. `none`: this process only asks and reads. Default: `embedded`. An engine
   * of another process may own a run in any case.
   */
  readonly engine?: 'embedded' | 'detached' | 'none';

  /** A file with rules of what may be done: an absolute path. Default: nothing is denied, and what writes needs an approval. */
  readonly policy?: string;
  /** Sandbox provider by name for all runs that name none; default: the strongest of this machine. */
  readonly sandbox?: string;
  /** Refuses whatever is no boundary. */
  readonly requireIsolation?: boolean;
  /** The operator's half of the network permission; an item asks for the other. */
  readonly allowNetwork?: boolean;
  /**
   * Model for what is submitted here when neither the work nor its agent asks for one: `fast`, `standard`, `max`, or a name that
   * is passed on as it is. An empty text counts as none.
   */
  readonly defaultModel?: string;
  /** How long an engine owns a run without renewing it, ms, 500 to 3,600,000; default 30,000. */
  readonly leaseMs?: number;
  /** How long ended runs are kept, days, 1 to 2,555; default: for ever. */
  readonly retentionDays?: number;

  /** Modules with a sandbox provider as what their default export makes: absolute paths. They are loaded by workers too. */
  readonly sandboxModules?: readonly string[];
  /** Modules with an executor factory as default export: absolute paths. A detached engine loads them too. */
  readonly executorModules?: readonly string[];
  /** Executors of this process alone. Items for one of them wait while no engine that has it is open. */
  readonly executors?: readonly ExecutorFactory[];
  /** Where content is kept; every process that opens this control plane has to be given the same. */
  readonly blobs?: BlobStore;
  /** Packs of shapes besides those of the product; two shapes with one id are refused. Only plans that this process takes in know them. */
  readonly packs?: readonly (readonly Shape[])[];
  /** Signs evidence in place of the key file. */
  readonly signer?: Signer;
  /** Told of every run that ended, while this is open and what ended before it was. */
  readonly sinks?: readonly ResultSink[];
  /** Decides what may be done in place of a `policy`; every process that opens this control plane has to be given the same. */
  readonly authorizer?: Authorizer;
  /** Unix ms, for tests of what depends on time. */
  readonly clock?: () => number;

  /** Told of trouble that is outlived and has no caller. Default: `engine.log` of the control plane. */
  readonly onFault?: (error: unknown, about: string) => void;
}
