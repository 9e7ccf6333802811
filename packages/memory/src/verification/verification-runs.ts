import { createHash } from 'node:crypto';
import type { CheckTier, VerificationRun } from '@palisade/contracts';
import type { Memory } from '../open-memory.ts';
import { fileFacts } from '../repository/file-content.ts';
import { changedId } from '../structure/index-tree.ts';

interface Row {
  readonly [column: string]: string | number | null;
}

/** Those of this branch, the newest first. */
export function latestRuns({ database, position }: Memory, limit: number): readonly VerificationRun[] {
  return database
    .all<Row>(
      'SELECT * FROM verification_runs WHERE branch IS ? ORDER BY ran_at DESC, id DESC LIMIT ?',
      position.branch,
      limit,
    )
    .map((row) => ({
      tier: row['tier'] as CheckTier,
      command: String(row['command']),
      exit_code: row['exit_code'] as number | null,
      outcome: row['outcome'] as VerificationRun['outcome'],
      duration_ms: Number(row['duration_ms']),
      changed_files: JSON.parse(String(row['changed_files'])) as string[],
      cwd: String(row['cwd']),
      commit: row['commit_sha'] as string | null,
      branch: row['branch'] as string | null,
      ran_at: Number(row['ran_at']),
    }));
}

/** What differs from `HEAD` in the work tree, by what the files hold now. */
export function changeId({ repository, changes }: Memory): string {
  const hash = createHash('sha256');
  for (const { path, isGone } of changes) {
    const facts = isGone ? undefined : fileFacts(repository, path);
    const content = facts === undefined ? 'none' : changedId(repository, path, facts, 'sha1');
    hash.update(`${path}\0${content}\0`);
  }
  return hash.digest('hex');
}

/** A command that failed when it was run last. */
export interface LastFailure {
  readonly command: string;
  /** Whether what it ran on is what is there now: only then there is something to mend. */
  readonly isOfNow: boolean;
}

/**
 * What failed on the present commit and change; where nothing was run on them, what failed when something was run last. Of each
 * command only the newest result speaks (L-09).
 */
export function lastFailure(memory: Memory): LastFailure | undefined {
  const { database, position } = memory;
  const newest = database.get<Row>(
    'SELECT commit_sha, change_id FROM verification_runs WHERE branch IS ? ORDER BY ran_at DESC, id DESC LIMIT 1',
    position.branch,
  );
  if (newest === undefined) return undefined;
  const failedOn = (commit: Row[string], change: Row[string]) =>
    database.all<{ command: string; failed: number }>(
      `SELECT command, outcome <> 'passed' AS failed FROM
         (SELECT *, ROW_NUMBER() OVER (PARTITION BY command, cwd ORDER BY ran_at DESC, id DESC) AS age FROM verification_runs
          WHERE branch IS ? AND commit_sha IS ? AND change_id IS ?)
       WHERE age = 1 ORDER BY ran_at, id`,
      position.branch,
      commit,
      change,
    );
  const now = failedOn(position.commit, changeId(memory));
  const runs = now.length > 0 ? now : failedOn(newest['commit_sha'] ?? null, newest['change_id'] ?? null);
  const command = runs.find(({ failed }) => failed === 1)?.command;
  return command === undefined ? undefined : { command, isOfNow: now.length > 0 };
}

/** @param change {@link changeId} of when it began */
export function recordRun({ database, budget }: Memory, run: VerificationRun, change: string): Promise<void> {
  return database.write(() => {
    database.run(
      `INSERT INTO verification_runs
         (tier, command, exit_code, outcome, duration_ms, changed_files, cwd, commit_sha, branch, ran_at, change_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      run.tier,
      run.command,
      run.exit_code,
      run.outcome,
      run.duration_ms,
      JSON.stringify(run.changed_files),
      run.cwd,
      run.commit,
      run.branch,
      run.ran_at,
      change,
    );
  }, budget.signal);
}
