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
  /** Whether there is such a project, archived or not. None is ever removed: what was there once is not asked for again. */
  exists(project: string): Promise<boolean>;
  isActive(tx: ReadTx, project: string): Promise<boolean>;
  /** Raises `project_archived`, and `not_found` for one that is not there. Inside a unit of work. */
  assertActive(tx: ReadTx, project: string): Promise<void>;
}

/** Opens the projects over a database with `identityMigrations`. */
export function projects(deps: ProjectsDeps): Projects {
  const known = new Set<string>();
  return {
    operations: [...projectOperations(deps), ...policyOperations(deps)],
    exists: async (key) => {
      if (known.has(key)) return true;
      const isThere = await deps.database.read(async (tx) => (await findProject(tx, key)) !== undefined);
      if (isThere) known.add(key);
      return isThere;
    },
    isActive: async (tx, key) => (await findProject(tx, key))?.archived === null,
    assertActive: async (tx, key) => assertActive(await existingProject(tx, key)),
  };
}
