import { PalisadeError, type RepositoryTask, type TaskScope } from '@palisade/contracts';
import { type Memory, pathWithin } from '../open-memory.ts';
import { TASK_MS } from '../signals/weights.ts';

/** Without a branch there is one task for the commit that is checked out (L-08). */
function keyOf({ position }: Memory): string {
  return position.branch ?? `detached:${position.commit ?? ''}`;
}

/** Keeps the task, or only says what it would be. */
export async function startTask(
  memory: Memory,
  goal: string,
  scopes: readonly string[],
  isRehearsal: boolean,
): Promise<RepositoryTask> {
  if (goal.trim() === '') throw new PalisadeError('invalid_input', 'a task needs a goal');
  const task = {
    goal: goal.trim(),
    scope_paths: scopes.filter((scope) => scope !== '').map((scope) => scopePath(memory, scope)),
    started_at: memory.now,
  };
  if (isRehearsal) return task;
  return await memory.database.write(() => {
    memory.database.run(
      `INSERT INTO tasks (branch, goal, scope_paths, started_at) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET goal = excluded.goal, scope_paths = excluded.scope_paths, started_at = excluded.started_at`,
      keyOf(memory),
      task.goal,
      JSON.stringify(task.scope_paths),
      task.started_at,
    );
    return task;
  }, memory.budget.signal);
}

/** A file or folder within the repository from what the caller wrote; `.` is all of it. Errors: `unsafe_path`. */
export function scopePath(memory: Memory, written: string): string {
  return written === '.' || written === './' ? '.' : pathWithin(memory, written);
}

/** The task of this branch, unless it was started too long ago. */
export function presentTask(memory: Memory): RepositoryTask | undefined {
  const row = memory.database.get<{ goal: string; scope_paths: string; started_at: number }>(
    'SELECT goal, scope_paths, started_at FROM tasks WHERE branch = ? AND started_at > ?',
    keyOf(memory),
    memory.now - TASK_MS,
  );
  if (row === undefined) return undefined;
  return { goal: row.goal, scope_paths: JSON.parse(row.scope_paths) as string[], started_at: row.started_at };
}

/** Whether there was one. */
export function clearTask(memory: Memory): Promise<boolean> {
  const before = presentTask(memory) !== undefined;
  return memory.database.write(() => {
    memory.database.run('DELETE FROM tasks WHERE branch = ?', keyOf(memory));
    return before;
  }, memory.budget.signal);
}

/** @param changed paths of the change */
export function scopeOf(task: RepositoryTask, changed: readonly string[]): TaskScope {
  const isIn = (path: string) =>
    task.scope_paths.length === 0 ||
    task.scope_paths.some((scope) => scope === '.' || path === scope || path.startsWith(`${scope}/`));
  const outside = changed.filter((path) => !isIn(path));
  return {
    ...task,
    in_scope_changed: changed.filter(isIn),
    out_of_scope_changed: outside,
    has_scope_drift: outside.length > 0,
  };
}
