import { join } from 'node:path';
import { type CheckReport, type CheckTier, PalisadeError, type VerificationRun } from '@palisade/contracts';
import type { Memory } from '../open-memory.ts';
import { type CheckCommand, typed } from '../verification/command.ts';
import { planChecks, smallestTier } from '../verification/plan-checks.ts';
import { runCommand } from '../verification/run-command.ts';
import { changeId, recordRun } from '../verification/verification-runs.ts';
import { changeSince } from './review.ts';

export interface CheckOptions {
  /** Of each command. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onStart?: (command: string) => void;
  readonly onOutput?: (piece: Buffer) => void;
}

/** What a tier would run for the present change. */
export interface PlannedChecks {
  readonly changedFiles: readonly string[];
  readonly commands: readonly CheckCommand[];
}

/**
 * For what is changed since `base`, by default the commit before this one. Errors: `requirements_unmet` without an
 * index (L-10) or without a command of the tier.
 */
export async function plannedChecks(memory: Memory, tier: CheckTier, base?: string): Promise<PlannedChecks> {
  if (!memory.isIndexed)
    throw new PalisadeError(
      'requirements_unmet',
      'there is no index yet: what the change touches is not known',
      {
        next: 'pal repo index',
      },
    );
  const { sources, tests } = await changeSince(memory, base);
  const changedFiles = [...sources.keys()];
  const plan = planChecks(memory.repository, changedFiles, tests);
  const commands = plan[tier];
  if (commands.length === 0) {
    const smallest = smallestTier(plan);
    throw new PalisadeError(
      'requirements_unmet',
      `no command of the project is known for "${tier}"${smallest === undefined ? '' : `; "${smallest}" has ${plan[smallest].length}`}`,
      {
        next: smallest === undefined ? 'add a test script to the project' : `pal repo check ${smallest}`,
      },
    );
  }
  return { changedFiles, commands };
}

/**
 * Runs the project's own commands for the present change and records what they said, command by command, so that
 * nothing is lost when it is stopped. Errors: those of {@link plannedChecks}; `canceled`.
 */
export async function check(memory: Memory, tier: CheckTier, options: CheckOptions): Promise<CheckReport> {
  const { changedFiles, commands } = await plannedChecks(memory, tier);
  const change = changeId(memory);
  const started = performance.now();
  const runs: CheckReport['runs'][number][] = [];
  for (const command of commands) {
    options.onStart?.(typed(command));
    const cwd = join(memory.repository.workTree, command.cwd);
    const began = memory.now + Math.round(performance.now() - started);
    const result = await runCommand({ argv: command.argv, cwd, ...options });
    if (options.signal.aborted)
      throw new PalisadeError('canceled', `${typed(command)} was stopped on request`);
    const run: VerificationRun = {
      tier,
      command: typed(command),
      exit_code: result.exitCode,
      outcome: result.outcome,
      duration_ms: result.durationMs,
      changed_files: changedFiles,
      cwd,
      commit: memory.position.commit,
      branch: memory.position.branch,
      ran_at: began,
    };
    await recordRun(memory, run, change);
    runs.push({ ...run, output: result.output, output_bytes: result.bytes });
  }
  return {
    tier,
    outcome: runs.every(({ outcome }) => outcome === 'passed') ? 'passed' : 'failed',
    duration_ms: Math.round(performance.now() - started),
    changed_files: changedFiles,
    runs,
  };
}
