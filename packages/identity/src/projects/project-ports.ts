import type { Database, ReadTx, WriteTx } from '@palisade/kernel';

/** What projects need of the rooms whose records belong to them. */
export interface ProjectPorts {
  /** True while something of the project has not ended. */
  readonly isBusy: (tx: ReadTx, project: string) => Promise<boolean>;
  /** Gives a new project what every project has, in the unit of work that creates it. */
  readonly created: (tx: WriteTx, project: string) => Promise<void>;
  /** Holds what would start by itself, or lets it go on, in the unit of work that archives or restores. */
  readonly held: (tx: WriteTx, project: string, isHeld: boolean) => Promise<void>;
  /** Raises `credential_in_text` when text looks like it holds a credential (DI-048). */
  readonly scanText: (text: string, place: string) => void;
}

export interface ProjectsDeps {
  readonly database: Database;
  readonly ports: ProjectPorts;
}
