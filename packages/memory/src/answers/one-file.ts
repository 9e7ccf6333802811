import {
  count,
  type EditPlan,
  type Explanation,
  type FileAnswer,
  type NeighborReport,
  type SafetyReport,
} from '@palisade/contracts';
import type { Memory } from '../open-memory.ts';
import { HERE } from '../signals/file-figures.ts';
import { type CheckPlan, planChecks } from '../verification/plan-checks.ts';
import { shellWords } from '@palisade/contracts/shell-words';
import { askedFile } from './asked-file.ts';
import { decisionsOf } from './decisions.ts';
import { evidenceOf } from './evidence.ts';
import type { FileView } from './file-view.ts';
import { freshnessOf } from './freshness.ts';
import { relatedSessions } from './related-sessions.ts';
import { guidanceFor, shownChecks, testCommands } from './guidance.ts';

/** WM-030. Errors: those of {@link askedFile}. */
export function explain(memory: Memory, written: string): Explanation {
  const view = askedFile(memory, written);
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
    neighbors: view.neighbors.near.slice(0, 10),
    plumbing: view.neighbors.plumbing.slice(0, 5),
    related_sessions: relatedSessions(memory, namesOf(view), 3),
  };
}

/** WM-031. Errors: those of {@link askedFile}. */
export function safe(memory: Memory, written: string): SafetyReport {
  const view = askedFile(memory, written);
  const answer = fileAnswer(memory, view);
  return {
    ...answer,
    verdict: verdictOf(view),
    summary: summaryOf(view),
    required_checks: answer.action_guidance.run_next,
    suggested_tests: view.suggestedTests,
    blast_radius: view.blastRadius.slice(0, 6),
  };
}

/** WM-032. Errors: those of {@link askedFile}. */
export function plan(memory: Memory, written: string, goal: string): EditPlan {
  const view = askedFile(memory, written);
  const answer = fileAnswer(memory, view);
  return {
    ...answer,
    goal,
    steps: view.isGone ? stepsWithout(view) : stepsOf(view, answer),
    files_to_inspect: [...(view.isGone ? [] : [view.path]), ...view.blastRadius].slice(0, 5),
    tests_to_run: view.suggestedTests,
    related_sessions: relatedSessions(memory, namesOf(view), 3),
  };
}

function stepsOf(
  { path, unread, suggestedTests, blastRadius, neighbors }: FileView,
  { freshness, test_commands: commands }: FileAnswer,
): readonly string[] {
  const near = blastRadius.slice(0, 3);
  const company = neighbors.near[0]?.path;
  return [
    ...(unread !== undefined && freshness.is_stale ? [`pal repo index, and plan again: ${unread}`] : []),
    `read ${path}${near.length === 0 ? '' : `, then ${near.join(', ')}`}`,
    ...(suggestedTests.length > 0
      ? [`read what ${suggestedTests[0]} demands`]
      : unread === undefined
        ? ['write a test of the present behaviour first: none is known']
        : ['look for a test of it: none was read of']),
    `change ${path}`,
    ...(company === undefined ? [] : [`see whether ${company} has to follow: they change together`]),
    ...(commands.length === 0
      ? ['check it by hand: no command of the project is known']
      : [`run ${commands[0]}`]),
    'pal repo review HEAD',
  ];
}

/** Of a file that is gone: what there is instead. */
function stepsWithout({ path, blastRadius }: FileView): readonly string[] {
  return [
    `do not change ${path}: it is gone`,
    `${shellWords(['git', 'log', '-1', '--stat', '--', path])} says with which change, if that is committed`,
    ...(blastRadius.length === 0
      ? []
      : [`read ${blastRadius.slice(0, 3).join(', ')}: what it did may be there now`]),
  ];
}

/** All names that a file is asked about by. */
function namesOf({ path, formerly }: FileView): readonly string[] {
  return formerly === undefined ? [path] : [path, formerly];
}

/** WM-020. Errors: those of {@link askedFile}. */
export function neighbors(memory: Memory, written: string, limit: number): NeighborReport {
  const view = askedFile(memory, written);
  return {
    path: view.path,
    freshness: freshnessOf(memory),
    evidence: evidenceOf(memory, [view], checksOf(memory, view), false),
    neighbors: view.neighbors.source.slice(0, limit),
    plumbing: view.neighbors.plumbing.slice(0, limit),
  };
}

function verdictOf({ risk: { level }, isGone, unread }: FileView): SafetyReport['verdict'] {
  if (isGone || unread !== undefined || level === 'high' || level === 'unknown')
    return 'inspect_context_first';
  return level === 'medium' ? 'review_neighbors_first' : 'safe_with_normal_review';
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

function summaryOf({ path, risk, isGone, unread, blastRadius, suggestedTests }: FileView): string {
  const score = risk.level === 'unknown' ? '' : ` (${risk.score})`;
  const said = `${path} is ${isGone ? 'gone, and was ' : ''}of ${risk.level} risk${score}: ${risk.reasons.join('; ')}.`;
  const tests =
    suggestedTests.length === 0
      ? 'no test of it is known'
      : `${count(suggestedTests.length, 'test')} of it known`;
  return unread === undefined || blastRadius.length > 0
    ? `${said} It may touch ${count(blastRadius.length, 'file')}; ${tests}.`
    : `${said} What it may touch is not known.`;
}

function checklist(view: FileView, guidance: FileAnswer['action_guidance']): readonly string[] {
  return [
    ...(view.unread === undefined ? [] : [`mind that ${view.unread}`]),
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
     WHERE file = ? AND ${HERE} ORDER BY committed_at DESC, id DESC LIMIT 5`,
    history.id,
  );
}
