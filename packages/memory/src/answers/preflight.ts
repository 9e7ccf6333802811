import { join } from 'node:path';
import {
  count,
  isPalisadeError,
  PalisadeError,
  type RepositoryPreflight,
  type SafetyReport,
} from '@palisade/contracts';
import type { Memory } from '../open-memory.ts';
import { planChecks } from '../verification/plan-checks.ts';
import { kindOf } from '../repository/file-content.ts';
import { assertOwn } from './asked-file.ts';
import { riskWords } from './change-words.ts';
import { changed } from './changed.ts';
import { evidenceOf } from './evidence.ts';
import { fileView } from './file-view.ts';
import { shownChecks, testCommands } from './guidance.ts';
import { safe } from './one-file.ts';
import { ranking } from './ranking.ts';
import { spoken } from './spoken.ts';
import { presentTask, scopeOf, scopePath } from './task.ts';

const MOST_FILES = 12;
const MOST_INSPECTED = 16;

/**
 * What is to be known before a task is begun (WM-038): of the files that are named, of those in folders that are named the most risky,
 * and of what is changed already. What cannot be answered for is said, and ends nothing.
 */
export function preflight(memory: Memory, task: string, scopes: readonly string[]): RepositoryPreflight {
  const now = changed(memory);
  const unreadable: { path: string; reason: string }[] = [];
  const tried = <T>(path: string, body: () => T): T | undefined => {
    try {
      return body();
    } catch (error) {
      if (!isPalisadeError(error)) throw error;
      unreadable.push({ path, reason: error.message });
      return undefined;
    }
  };
  const named = scopes.flatMap((scope) => tried(scope, () => scopePath(memory, scope)) ?? []);
  let all: readonly string[] | undefined;
  const ranked = () => (all ??= ranking(memory).files.map(({ path }) => path));
  const explicit = named.flatMap((path) => tried(path, () => filesOf(memory, path, ranked)) ?? []);
  const changes = now.files.map(({ path }) => path);
  const paths = [...new Set([...explicit, ...changes])].slice(0, MOST_FILES);
  const reports = paths.flatMap(
    (path) => tried(path, () => safe(memory, join(memory.repository.workTree, path))) ?? [],
  );
  const views = reports.map(({ path }) => fileView(memory, path));
  const isUnread = views.some(({ unread }) => unread !== undefined);
  const checks = planChecks(
    memory.repository,
    paths,
    views.flatMap(({ suggestedTests }) => suggestedTests),
  );
  const inspect = [...new Set([...reports.map(({ path }) => path), ...views.flatMap((v) => v.blastRadius)])];
  const commands = testCommands(checks, 10);
  const proposed =
    scopes.length === 0 ? presentTask(memory) : { goal: task, scope_paths: named, started_at: memory.now };
  const scope = proposed === undefined ? null : scopeOf(proposed, changes);
  const within = named.length > 0 ? named : paths;
  return {
    task,
    summary: summaryOf(reports, scope?.has_scope_drift === true),
    scope_paths: paths,
    unreadable,
    changed_now: now,
    safe: reports,
    risk_summary: reports.map(({ path, verdict, risk: { level, score } }) => ({
      path,
      level,
      score,
      verdict,
    })),
    files_to_inspect: inspect.slice(0, MOST_INSPECTED),
    test_commands: commands,
    verification: shownChecks(checks),
    agent_instructions: [
      `the task is: ${task}`,
      ...(within.length === 0
        ? []
        : [`change only ${within.map(spoken).join(', ')}; say why before anything else`]),
      ...(isUnread && now.freshness.is_stale
        ? ['run pal repo index and ask again: a part of the history was not read']
        : []),
      ...(inspect.length === 0 ? [] : ['read the files to inspect before the first edit']),
      ...(commands.length === 0 ? [] : [`run ${commands[0]} before and after`]),
      ...(reports.some(({ action_guidance: { must_review: must } }) => must)
        ? ['have somebody review it']
        : []),
    ],
    next_actions: [
      ...(memory.isIndexed && !now.freshness.is_stale ? [] : ['pal repo index']),
      ...(paths.length === 0 ? ['name where it will be: --scope PATH'] : []),
      ...(scope?.has_scope_drift === true
        ? [`commit or undo ${scope.out_of_scope_changed[0]}: it is no part of it`]
        : []),
    ],
    freshness: now.freshness,
    evidence: evidenceOf(memory, views, checks, scope !== null),
    task_scope: scope,
  };
}

/** A file, or the most risky ones of a folder, or some where none has a history. Errors: `not_found` for a folder that nothing is known of, and those of {@link assertOwn}. */
function filesOf(memory: Memory, path: string, ranked: () => readonly string[]): readonly string[] {
  if (path !== '.') assertOwn(memory, path);
  if (path !== '.' && kindOf(memory.repository, path) !== 'folder') return [path];
  const prefix = path === '.' ? '' : `${path}/`;
  const below = ranked().filter((each) => each.startsWith(prefix));
  if (below.length > 0) return below.slice(0, MOST_FILES);
  const unranked = memory.database.all<{ path: string }>(
    'SELECT path FROM tree WHERE SUBSTR(path, 1, LENGTH(?)) = ? ORDER BY path LIMIT ?',
    prefix,
    prefix,
    MOST_FILES,
  );
  if (unranked.length > 0) return unranked.map((each) => each.path);
  const reason = memory.isIndexed
    ? `nothing is known of the files in ${path}`
    : `the history of the files in ${path} was not read: there is no index yet`;
  throw new PalisadeError('not_found', reason, {
    next: memory.isIndexed ? 'name files of it' : 'pal repo index',
  });
}

function summaryOf(reports: readonly SafetyReport[], hasDrift: boolean): string {
  if (reports.length === 0) return 'no file is named, and none is changed: nothing can be said of the task';
  const drift = hasDrift ? '; something outside of it is changed already' : '';
  return `${count(reports.length, 'file')}, ${riskWords(reports.map(({ risk }) => risk.level))}${drift}`;
}
