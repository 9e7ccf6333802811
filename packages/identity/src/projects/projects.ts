import type { BoundOperation } from '@palisade/contracts';
import type { Database, ReadTx, WriteTx } from '@palisade/kernel';
import { policyOperations } from './policy-operations.ts';
import { assertActive } from './project.ts';
import { projectOperations } from './project-operations.ts';
import { existingProject, findProject } from './project-store.ts';

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

/** The projects of an installation. */
export interface Projects {
  readonly operations: BoundOperation[];
  exists(tx: ReadTx, project: string): Promise<boolean>;
  isActive(tx: ReadTx, project: string): Promise<boolean>;
  /** Raises `project_archived`, and `not_found` for one that is not there. Inside a unit of work. */
  assertActive(tx: ReadTx, project: string): Promise<void>;
}

/** Opens the projects over a database with `identityMigrations`. */
export function projects(deps: ProjectsDeps): Projects {
  return {
    operations: [...projectOperations(deps), ...policyOperations(deps)],
    exists: async (tx, key) => (await findProject(tx, key)) !== undefined,
    isActive: async (tx, key) => (await findProject(tx, key))?.archived === null,
    assertActive: async (tx, key) => assertActive(await existingProject(tx, key)),
  };
}
