import type { Authorizer, BlobStore, ExecutorFactory, Shape, Signer } from '@palisade/contracts';

/**
 * Parts of a control plane that somebody else brings (DI-002). What is left out is ours. What works in a worker
 * or in another engine process is named by module, what works in this process alone is given as a value.
 */
export interface Seams {
  /**
   * Where content is kept, in place of files below the control plane. Every process that opens this control
   * plane must be given a store with the same content; one that forgets nothing by itself has no `collect`.
   */
  readonly blobs?: BlobStore;
  /** Executors of this process's engine, besides `local`. */
  readonly executors?: readonly ExecutorFactory[];
  /** Shapes besides those of the product; what a run needs of one is frozen with it. */
  readonly packs?: readonly (readonly Shape[])[];
  /** Signs evidence in place of the key file; its key is replaced where it is kept. */
  readonly signer?: Signer;
  /**
   * Decides what may be done. Every process that opens this control plane must be given the same: an engine without it
   * lets everything be done but what writes.
   */
  readonly authorizer?: Authorizer;
  /** Unix ms in place of the machine's clock (SQLite) or the database's (PostgreSQL). For tests. */
  readonly clock?: () => number;
}

/** Modules that the operator names: absolute paths, separated as in PATH. They are loaded wherever they are needed. */
export interface Modules {
  readonly sandboxes?: string | undefined;
  readonly executors?: string | undefined;
}
