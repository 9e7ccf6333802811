import type { ChangedReport } from '@palisade/contracts';
import type { Memory } from '../open-memory.ts';
import { planChecks, smallestTier } from '../verification/plan-checks.ts';
import { changeWords } from './change-words.ts';
import { evidenceOf } from './evidence.ts';
import { fileView } from './file-view.ts';
import { freshnessOf } from './freshness.ts';
import { presentTask, scopeOf } from './task.ts';

/** What is changed in the work tree now; works without an index too. */
export function changed(memory: Memory): ChangedReport {
  const freshness = freshnessOf(memory);
  const paths = memory.changes.map(({ path }) => path);
  const views = paths.map((path) => fileView(memory, path));
  const checks = planChecks(
    memory.repository,
    paths,
    views.flatMap((view) => view.suggestedTests),
  );
  const tier = smallestTier(checks);
  const task = presentTask(memory);
  const scope = task === undefined ? null : scopeOf(task, paths);
  return {
    summary:
      views.length === 0
        ? 'nothing is changed in the work tree'
        : `${changeWords(views.map(({ risk }) => risk.level))}${scope?.has_scope_drift === true ? `, ${scope.out_of_scope_changed.length} outside of the task` : ''}`,
    index_status: freshness.index_status,
    recommended_next_command: !freshness.is_stale
      ? views.length === 0 || tier === undefined
        ? 'pal repo review'
        : `pal repo check ${tier}`
      : 'pal repo index',
    freshness,
    evidence: evidenceOf(memory, views, checks, task !== undefined),
    files: views.map((view, at) => ({
      path: view.path,
      working_tree_status: memory.changes[at]?.status ?? '',
      risk_level: view.risk.level,
      suggested_tests: view.suggestedTests,
      blast_radius: view.blastRadius.slice(0, 6),
    })),
    task: scope,
  };
}
