import { AsyncLocalStorage } from 'node:async_hooks';
import {
  archiveProject,
  type BoundOperation,
  isOfProject,
  noProject,
  restoreProject,
} from '@palisade/contracts';
import type { Projects } from '@palisade/identity';
import type { Database } from '@palisade/kernel';
import { guardedWrites } from './guarded-writes.ts';

/** What is done to an archived project itself: they look for themselves. */
const OWN_RULES: ReadonlySet<string> = new Set([archiveProject.id, restoreProject.id]);

/**
 * Every operation of a project, whatever surface calls it: an absent project is `not_found` before anything else is said, and nothing
 * of an archived one changes. That is asked in the unit of work which would change it, so that no change comes after the archiving
 * (AC-070).
 */
export class ProjectGate {
  readonly #changing = new AsyncLocalStorage<string>();
  readonly #projects: () => Projects;

  /** `projects` is asked at a call: they need rooms that need this first. */
  constructor(projects: () => Projects) {
    this.#projects = projects;
  }

  /** The database as operations see it. */
  guard(database: Database): Database {
    return guardedWrites(database, () => {
      const project = this.#changing.getStore();
      return project === undefined ? undefined : (tx) => this.#projects().assertActive(tx, project);
    });
  }

  /** The operation with the gate before it. */
  bind(bound: BoundOperation, database: Database): BoundOperation {
    const { operation, handler } = bound;
    if (!isOfProject(operation)) return bound;
    const isChange = operation.effect !== 'read' && !OWN_RULES.has(operation.id);
    return Object.freeze({
      operation,
      handler: async (input: unknown, context: Parameters<typeof handler>[1]) => {
        const { project, caller } = context;
        // What a caller may not see is told by the operation itself, in the same words.
        const isVisible = caller.project === null || caller.project === project;
        if (isVisible && isChange) await database.read((tx) => this.#projects().assertActive(tx, project));
        else if (isVisible && !(await this.#projects().exists(project))) throw noProject(project);
        const call = () => handler(input, context);
        return isChange ? this.#changing.run(project, call) : this.#changing.exit(call);
      },
    });
  }
}
