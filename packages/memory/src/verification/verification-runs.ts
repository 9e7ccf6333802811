import type { CheckTier, VerificationRun } from '@palisade/contracts';
import type { Memory } from '../open-memory.ts';

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

export function recordRun({ database, budget }: Memory, run: VerificationRun): Promise<void> {
  return database.write(() => {
    database.run(
      `INSERT INTO verification_runs
         (tier, command, exit_code, outcome, duration_ms, changed_files, cwd, commit_sha, branch, ran_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
    );
  }, budget.signal);
}
