import type { BoundOperation } from '@palisade/contracts';
import type { ReadTx } from '@palisade/kernel';
import { policyOperations } from './policy-operations.ts';
import { assertActive } from './project.ts';
import { projectOperations } from './project-operations.ts';
import type { ProjectsDeps } from './project-ports.ts';
import { existingProject, findProject } from './project-store.ts';

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
