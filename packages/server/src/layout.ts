import { join } from 'node:path';

/** Where a local control plane keeps its things, below the project's root. */
export interface Layout {
  /** The project's root, which holds `.palisade/`. */
  readonly root: string;
  readonly home: string;
  readonly database: string;
  readonly blobs: string;
  /** Static files of the evidence log. */
  readonly log: string;
  readonly attempts: string;
  readonly signerKey: string;
  /** Identity of the engine process that serves this control plane, while there is one. */
  readonly engineFile: string;
  readonly engineLog: string;
}

export function layoutOf(root: string): Layout {
  const home = join(root, '.palisade');
  return {
    root,
    home,
    database: join(home, 'palisade.db'),
    blobs: join(home, 'blobs'),
    log: join(home, 'log'),
    attempts: join(home, 'attempts'),
    signerKey: join(home, 'signer.key'),
    engineFile: join(home, 'engine.json'),
    engineLog: join(home, 'engine.log'),
  };
}
