import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** Where a project keeps what all its control planes share. */
export interface Layout {
  /** The project's root, which holds `.palisade/`. */
  readonly root: string;
  readonly home: string;
  readonly database: string;
  readonly signerKey: string;
  readonly engineLog: string;
}

export function layoutOf(root: string): Layout {
  const home = join(root, '.palisade');
  return {
    root,
    home,
    database: join(home, 'palisade.db'),
    signerKey: join(home, 'signer.key'),
    engineLog: join(home, 'engine.log'),
  };
}

/**
 * Where one control plane keeps what is its alone. A control plane is a database: a project that is used
 * with two of them has two, which must not see each other's engines, attempts and
 * logs, nor remove each other's blobs.
 */
export interface PlaneLayout {
  /** Where `.palisade/` is. */
  readonly home: string;
  readonly attempts: string;
  readonly blobs: string;
  /** What executors that are not ours keep, each under a name of its own. */
  readonly executors: string;
  /** Static files of the evidence log. */
  readonly log: string;
  /** The sign of the engine process that serves this control plane, while there is one. */
  readonly engineFile: string;
}

/** `origin` is the log's name, which a database chooses once and no two have. */
export function planeLayoutOf(layout: Layout, origin: string): PlaneLayout {
  const id = createHash('sha256').update(origin).digest('hex').slice(0, 12);
  const home = join(layout.home, 'planes', id);
  return {
    home: layout.home,
    attempts: join(home, 'attempts'),
    blobs: join(home, 'blobs'),
    executors: join(home, 'executors'),
    log: join(home, 'log'),
    engineFile: join(home, 'engine.json'),
  };
}
