import {
  type AnswerConfidence,
  count,
  PalisadeError,
  type RepositoryReview,
  type ReviewedFile,
  type RiskLevel,
} from '@palisade/contracts';
import { type Git, pathText, splitNul } from '@palisade/workspace';
import type { Memory } from '../open-memory.ts';
import { lastFailure, latestRuns } from '../verification/verification-runs.ts';
import { planChecks } from '../verification/plan-checks.ts';
import { changeWords } from './change-words.ts';
import { evidenceOf } from './evidence.ts';
import { type FileView, fileView } from './file-view.ts';
import { freshnessOf } from './freshness.ts';
import { guidanceOf, shownChecks, testCommands } from './guidance.ts';
import { relatedSessions } from './related-sessions.ts';
import { presentTask, scopeOf } from './task.ts';

const MOST_TESTS = 10;

type ChangeSource = ReviewedFile['change_source'];

/**
 * What is changed since `base` in commits and in the work tree, the most urgent first (WM-035). Without `base`, the
 * commit before this one, or nothing before the first (D-04). Errors: `not_found` for a base that does not exist.
 */
export async function review(memory: Memory, base: string | undefined): Promise<RepositoryReview> {
  const { base: against, sources, views, tests } = await changeSince(memory, base);
  const freshness = freshnessOf(memory);
  const task = presentTask(memory);
  const scope = task === undefined ? null : scopeOf(task, [...sources.keys()]);
  const drifted = new Set(scope?.out_of_scope_changed);
  const ordered = views.toSorted(
    (a, b) =>
      urgency(b, sources.get(b.path), drifted) - urgency(a, sources.get(a.path), drifted) ||
      b.risk.score - a.risk.score ||
      (a.path < b.path ? -1 : 1),
  );
  const checks = planChecks(
    memory.repository,
    ordered.map(({ path }) => path),
    tests,
  );
  const failure = lastFailure(memory);
  const boundaries = [
    ...new Map(ordered.flatMap((view) => view.boundaries).map((each) => [each.label, each])).values(),
  ];
  const level = (['high', 'medium', 'unknown', 'low'] as const).find((each) =>
    views.some(({ risk }) => risk.level === each),
  );
  const high = views.filter(({ risk }) => risk.level === 'high').length;
  const blast = [...new Set(ordered.flatMap((view) => view.blastRadius))].filter(
    (path) => !sources.has(path),
  );
  const confidence = weakest(ordered);
  const guidance = guidanceOf(
    {
      level: level ?? 'low',
      boundaries,
      blastRadius: blast,
      checks,
      confidence,
      // A file that is removed has nothing left to edit; what was not read of the others counts.
      isUncertain: views.some(({ unread }) => unread !== undefined),
      highRisk: high,
    },
    freshness,
  );
  return {
    base_ref: against,
    head_ref: memory.position.commit,
    summary: [
      changeWords(
        ordered.map(({ risk }) => risk.level),
        ` since ${against}`,
      ),
      `${count(tests.length, 'test')} to run`,
      ...(drifted.size > 0 ? [`${count(drifted.size, 'file')} outside of what the task said`] : []),
      ...(boundaries.length > 1 ? [`it crosses ${boundaries.map((each) => each.label).join(' and ')}`] : []),
      ...(failure?.isOfNow === true ? [`the newest verification failed: ${failure.command}`] : []),
    ].join('; '),
    freshness,
    evidence: evidenceOf(memory, ordered, checks, task !== undefined),
    changed_files: ordered.map((view) => reviewed(view, sources.get(view.path) ?? 'committed')),
    required_tests: tests.slice(0, MOST_TESTS),
    test_commands: testCommands(checks, 5),
    verification: shownChecks(checks),
    confidence,
    action_guidance: guidance,
    task: scope,
    boundary_warnings: guidance.boundary_warnings,
    verification_history: latestRuns(memory, 5),
    related_sessions: relatedSessions(
      memory,
      ordered.map(({ path }) => path),
      5,
    ),
    notes: [
      ...(tests.length > MOST_TESTS
        ? [`required_tests are ${MOST_TESTS} of ${tests.length}: each file names its own`]
        : []),
      ...ordered
        .filter((view) => view.suggestedTests.length === 0)
        .map(({ path }) => `no test of ${path} is known`),
    ].slice(0, 10),
  };
}

/** A change, with what is known of each of its files. */
export interface Change {
  readonly base: string;
  readonly sources: ReadonlyMap<string, ChangeSource>;
  readonly views: readonly FileView[];
  /** All tests that concern it. */
  readonly tests: readonly string[];
}

/** What is changed since `base` in commits and in the work tree. Errors: `not_found` for a base that does not exist. */
export async function changeSince(memory: Memory, base: string | undefined): Promise<Change> {
  const committed = await committedFiles(memory, base);
  const sources = sourcesOf(memory, committed.paths);
  const views = [...sources.keys()].map((path) => fileView(memory, path));
  return {
    base: committed.base,
    sources,
    views,
    tests: [...new Set(views.flatMap((view) => view.suggestedTests))],
  };
}

async function committedFiles(
  { repository: { git }, position: { commit } }: Memory,
  base: string | undefined,
): Promise<{ readonly base: string; readonly paths: readonly string[] }> {
  if (commit === null) return { base: 'nothing', paths: [] };
  const usual = PLAIN.test(base ?? 'HEAD~1') ? await changedSince(git, base ?? 'HEAD~1', commit) : undefined;
  if (usual !== undefined) return { base: base ?? 'HEAD~1', paths: usual };
  const found = await git.run(
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${base ?? 'HEAD~1'}^{commit}`],
    {
      accept: [0, 1, 128],
    },
  );
  if (found.code !== 0 && base !== undefined)
    throw new PalisadeError('not_found', `there is no commit called ${base}`, {
      next: 'name a branch, a tag or a commit that exists here',
    });
  const range: readonly [string, ...string[]] =
    found.code === 0
      ? [
          'diff',
          '--name-only',
          '-z',
          '--no-renames',
          await commonOf(git, found.stdout.toString('latin1').trim(), commit),
          commit,
        ]
      : ['ls-tree', '-r', '--name-only', '-z', commit];
  return {
    base: base ?? (found.code === 0 ? 'HEAD~1' : 'nothing'),
    paths: (await git.fields([...range])).map(pathText),
  };
}

/** A name that cannot mean anything else than one commit. */
const PLAIN = /^\w(?!.*\.\.)[\w./~-]*$/;

/** What was changed since the two parted; undefined when the one is no commit, or they have nothing in common. */
async function changedSince(git: Git, base: string, commit: string): Promise<readonly string[] | undefined> {
  const found = await git.run(['diff', '--name-only', '-z', '--no-renames', `${base}...${commit}`, '--'], {
    accept: [0, 128],
  });
  if (found.code !== 0) return undefined;
  return splitNul(found.stdout).map(pathText);
}

/** Where the two parted: what has happened on the base since is no change of this side. */
async function commonOf(git: Git, base: string, commit: string): Promise<string> {
  const found = await git.run(['merge-base', base, commit], { accept: [0, 1] });
  return found.code === 0 ? found.stdout.toString('latin1').trim() : base;
}

function sourcesOf({ changes }: Memory, committed: readonly string[]): ReadonlyMap<string, ChangeSource> {
  const sources = new Map<string, ChangeSource>(committed.map((path) => [path, 'committed']));
  for (const { path, status } of changes)
    sources.set(
      path,
      status === '??' ? 'untracked' : sources.has(path) ? 'committed+working_tree' : 'working_tree',
    );
  return sources;
}

const BY_LEVEL = { high: 50, medium: 25, unknown: 20, low: 0 } as const satisfies Record<RiskLevel, number>;

/** WM-035; of those that are as urgent the most risky comes first. */
function urgency(view: FileView, source: ChangeSource | undefined, drifted: ReadonlySet<string>): number {
  return (
    (drifted.has(view.path) ? 100 : 0) +
    (source === 'committed' ? 0 : 100) +
    BY_LEVEL[view.risk.level] +
    15 * view.boundaries.length +
    (needsReview(view) ? 10 : 0) +
    (view.suggestedTests.length === 0 ? 8 : 0) +
    Math.min(view.blastRadius.length, 5)
  );
}

function needsReview({ risk, boundaries, blastRadius }: FileView): boolean {
  return risk.level === 'high' || boundaries.length > 0 || blastRadius.length >= 4;
}

function reviewed(view: FileView, source: ChangeSource): ReviewedFile {
  return {
    path: view.path,
    change_source: source,
    risk_level: view.risk.level,
    top_reasons: view.risk.reasons.slice(0, 3),
    suggested_tests: view.suggestedTests,
    blast_radius: view.blastRadius.slice(0, 6),
    boundary_labels: view.boundaries.map(({ label }) => label),
    needs_review: needsReview(view),
    needs_tests: view.suggestedTests.length === 0,
  };
}

/** A change is known as well as the file that is known least. */
function weakest(views: readonly FileView[]): AnswerConfidence {
  const [least] = views.map((view) => view.confidence).toSorted((a, b) => a.score - b.score);
  return least ?? { level: 'low', score: 0, reasons: ['nothing is changed'] };
}
