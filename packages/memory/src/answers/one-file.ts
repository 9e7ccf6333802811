import {
  type EditPlan,
  type Explanation,
  type FileAnswer,
  type NeighborReport,
  PalisadeError,
  type SafetyReport,
} from '@palisade/contracts';
import { type Memory, pathWithin } from '../open-memory.ts';
import { type CheckPlan, planChecks } from '../verification/plan-checks.ts';
import { decisionsOf } from './decisions.ts';
import { evidenceOf } from './evidence.ts';
import { type FileView, fileView } from './file-view.ts';
import { freshnessOf } from './freshness.ts';
import { relatedSessions } from './related-sessions.ts';
import { guidanceFor, shownChecks, testCommands } from './guidance.ts';

/** WM-030. Errors: `unsafe_path`, `not_found`. */
export function explain(memory: Memory, written: string): Explanation {
  const view = knownView(memory, written);
  const answer = fileAnswer(memory, view);
  const commits = recentCommits(memory, view);
  return {
    ...answer,
    summary: summaryOf(view),
    edit_checklist: checklist(view, answer.action_guidance),
    suggested_tests: view.suggestedTests,
    blast_radius: view.blastRadius.slice(0, 6),
    structural_links: view.links.slice(0, 6),
    recent_commits: commits.map(({ sha, subject, committed_at }) => ({ sha, subject, committed_at })),
    decisions: decisionsOf(
      memory,
      commits.map(({ sha }) => sha),
    ).slice(0, 3),
    neighbors: view.neighbors.source.slice(0, 10),
    plumbing: view.neighbors.plumbing.slice(0, 5),
    related_sessions: relatedSessions(memory, [view.path], 3),
  };
}

/** WM-031. Errors: `unsafe_path`, `not_found`. */
export function safe(memory: Memory, written: string): SafetyReport {
  const view = knownView(memory, written);
  const answer = fileAnswer(memory, view);
  const { level } = view.risk;
  return {
    ...answer,
    verdict:
      level === 'high'
        ? 'inspect_context_first'
        : level === 'medium'
          ? 'review_neighbors_first'
          : 'safe_with_normal_review',
    summary: summaryOf(view),
    required_checks: answer.action_guidance.run_next,
    suggested_tests: view.suggestedTests,
    blast_radius: view.blastRadius.slice(0, 6),
  };
}

/** WM-032. Errors: `unsafe_path`, `not_found`. */
export function plan(memory: Memory, written: string, goal: string): EditPlan {
  const view = knownView(memory, written);
  const answer = fileAnswer(memory, view);
  const inspect = [view.path, ...view.blastRadius].slice(0, 5);
  const near = view.blastRadius.slice(0, 3);
  return {
    ...answer,
    goal,
    steps: [
      `read ${view.path}${near.length === 0 ? '' : `, then ${near.join(', ')}`}`,
      ...(view.suggestedTests.length === 0
        ? ['write a test of the present behaviour first: none is known']
        : [`read what ${view.suggestedTests[0]} demands`]),
      `change ${view.path}`,
      ...(view.neighbors.source.length === 0
        ? []
        : [`see whether ${near[0] ?? view.neighbors.source[0]?.path} has to follow: they change together`]),
      ...(answer.test_commands.length === 0
        ? ['check it by hand: no command of the project is known']
        : [`run ${answer.test_commands[0]}`]),
      'pal repo review HEAD',
    ],
    files_to_inspect: inspect,
    tests_to_run: view.suggestedTests,
    related_sessions: relatedSessions(memory, [view.path], 3),
  };
}

/** WM-020. Errors: `unsafe_path`, `not_found`. */
export function neighbors(memory: Memory, written: string, limit: number): NeighborReport {
  const view = knownView(memory, written);
  return {
    path: view.path,
    freshness: freshnessOf(memory),
    evidence: evidenceOf(memory, [view], checksOf(memory, view), false),
    neighbors: view.neighbors.source.slice(0, limit),
    plumbing: view.neighbors.plumbing.slice(0, limit),
  };
}

function fileAnswer(memory: Memory, view: FileView): FileAnswer {
  const freshness = freshnessOf(memory);
  const checks = checksOf(memory, view);
  return {
    path: view.path,
    freshness,
    evidence: evidenceOf(memory, [view], checks, false),
    test_commands: testCommands(checks, 5),
    verification: shownChecks(checks),
    confidence: view.confidence,
    action_guidance: guidanceFor(view, checks, freshness),
    risk: view.risk,
  };
}

function checksOf({ repository }: Memory, { path, suggestedTests }: FileView): CheckPlan {
  return planChecks(repository, [path], suggestedTests);
}

/** Errors: `not_found` for what neither the index nor the disk knows (WM-022). */
function knownView(memory: Memory, written: string): FileView {
  const view = fileView(memory, pathWithin(memory, written));
  if (view.risk.level !== 'unknown') return view;
  throw new PalisadeError('not_found', `${view.path} is neither on disk nor in the index`, {
    next: memory.isIndexed ? 'git ls-files names the files that are here' : 'pal repo index',
  });
}

function summaryOf({ path, risk, blastRadius, suggestedTests }: FileView): string {
  const tests =
    suggestedTests.length === 0 ? 'no test of it is known' : `${suggestedTests.length} tests are known`;
  return `${path} is of ${risk.level} risk (${risk.score}): ${risk.reasons.join('; ')}. It may touch ${blastRadius.length} files; ${tests}.`;
}

function checklist(view: FileView, guidance: FileAnswer['action_guidance']): readonly string[] {
  return [
    ...guidance.inspect_first.map((path) => `look at ${path}`),
    ...view.suggestedTests.slice(0, 3).map((path) => `keep ${path} passing`),
    ...guidance.boundary_warnings.map((warning) => `mind ${warning}`),
    ...guidance.run_next.slice(0, 1).map((command) => `run ${command}`),
  ];
}

function recentCommits({ database }: Memory, { history }: FileView) {
  if (history === undefined) return [];
  return database.all<{ sha: string; subject: string; committed_at: number }>(
    `SELECT sha, subject, committed_at FROM changes JOIN commits ON id = commit_id
     WHERE file = ? AND id NOT IN (SELECT id FROM elsewhere) ORDER BY committed_at DESC, id DESC LIMIT 5`,
    history.id,
  );
}
