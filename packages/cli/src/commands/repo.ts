import {
  changed,
  decisions,
  doctor,
  explain,
  handoff,
  indexRepository,
  type Memory,
  neighbors,
  openMemory,
  plan,
  ranking,
  repositoryMap,
  review,
  safe,
} from '@palisade/memory';
import type { Invocation } from '../invocation.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { count, moment } from '../output/time.ts';
import {
  bullets,
  fileText,
  neighborLines,
  notesText,
  reviewText,
  sessionBullets,
  riskLine,
  staleText,
} from '../output/repo-text.ts';
import type * as tree from '../tree/repo-commands.ts';
import type { Handler } from './handler.ts';

/** Questions to git and reading files, all of one command. */
const ANSWER_MS = 10 * 60_000;
const INDEX_MS = 6 * 3_600_000;

/** The memory of the repository that the command is in, for as long as `body` takes. */
export async function withMemory<T>(
  invocation: Invocation,
  body: (memory: Memory) => T | Promise<T>,
  { create = false }: { create?: boolean } = {},
): Promise<T> {
  const budget = { deadline: Date.now() + ANSWER_MS, signal: invocation.interrupted };
  const { directory, env } = invocation;
  using memory = await openMemory({ directory, budget, now: Date.now(), create, env });
  return await body(memory);
}

/** `pal repo index`. */
export const index: Handler<typeof tree.repoIndexCommand> = async (invocation, _args, { rebuild }) => {
  const { err, settings } = invocation;
  const isShown = err.isTty && settings.manner === 'live';
  const answer = await indexRepository({
    directory: invocation.directory,
    budget: { deadline: Date.now() + INDEX_MS, signal: invocation.interrupted },
    now: Date.now(),
    rebuild,
    onProgress: (what, amount) => {
      if (isShown && amount > 0) err.line(`read ${amount} ${what}`);
    },
  });
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [],
    text: () => [
      `indexed   ${foreignLine(answer.repo_root)}  ${answer.branch === null ? 'detached' : foreignLine(answer.branch)}`,
      `history   ${count(answer.commit_count, 'commit')}, ${answer.added_commits} of them new, ${answer.cochange_edge_count} pairs of files`,
      `files     ${answer.file_count}, ${answer.source_file_count} of them sources, ${count(answer.import_link_count, 'import')} between them`,
      ...(answer.rebuilt === undefined ? [] : [`made anew: ${answer.rebuilt}`]),
      ...notesText(answer.notes),
    ],
  });
  invocation.hint('pal repo risk', 'pal repo plan FILE');
  return 0;
};

/** `pal repo doctor`. */
export const health: Handler<typeof tree.repoDoctorCommand> = (invocation) =>
  withMemory(invocation, (memory) => {
    const answer = doctor(memory);
    const { times } = invocation.settings;
    emit(invocation, {
      json: answer,
      records: [answer],
      ids: [],
      text: () => [
        `repository  ${foreignLine(answer.repo_root)}`,
        `memory      ${answer.index_status}  ${foreignLine(answer.repo_db_path)}`,
        ...(answer.indexed_at === null
          ? []
          : [`indexed     ${moment(answer.indexed_at, times)} at ${answer.last_indexed_commit ?? ''}`]),
        `work tree   ${answer.working_tree_dirty ? count(answer.working_tree_file_count, 'changed file') : 'clean'}`,
        ...notesText(answer.notes),
      ],
    });
    invocation.hint(answer.recommended_next_command);
    return 0;
  });

/** `pal repo explain FILE`. */
export const explainFile: Handler<typeof tree.repoExplainCommand> = (invocation, { file }) =>
  withMemory(invocation, (memory) => {
    const answer = explain(memory, file);
    const { times } = invocation.settings;
    emit(invocation, {
      json: answer,
      records: [answer],
      ids: [answer.path],
      text: () => [
        ...fileText(answer),
        ...neighborLines('changes with', answer.neighbors),
        ...bullets(
          'linked with',
          answer.structural_links.map((link) => `${link.path}  ${link.kind}`),
        ),
        ...bullets('tests', answer.suggested_tests),
        ...bullets(
          'commits',
          answer.recent_commits.map(
            ({ sha, subject, committed_at: at }) => `${sha.slice(0, 10)}  ${moment(at, times)}  ${subject}`,
          ),
        ),
        ...bullets('before an edit', answer.edit_checklist),
        ...sessionBullets(answer.related_sessions, times),
      ],
    });
    invocation.hint(answer.action_guidance.recommended_next_command);
    return 0;
  });

/** `pal repo safe FILE`. */
export const isSafe: Handler<typeof tree.repoSafeCommand> = (invocation, { file }) =>
  withMemory(invocation, (memory) => {
    const answer = safe(memory, file);
    emit(invocation, {
      json: answer,
      records: [answer],
      ids: [answer.path],
      text: () => [
        ...fileText(answer, answer.verdict.replaceAll('_', ' ')),
        ...bullets('look at', answer.blast_radius),
        ...bullets('run', answer.required_checks),
      ],
    });
    invocation.hint(answer.action_guidance.recommended_next_command);
    return 0;
  });

/** `pal repo plan FILE [GOAL]`. */
export const planEdit: Handler<typeof tree.repoPlanCommand> = (invocation, { file, goal }) =>
  withMemory(invocation, (memory) => {
    const answer = plan(memory, file, goal ?? '');
    emit(invocation, {
      json: answer,
      records: [answer],
      ids: [answer.path],
      text: () => [
        ...fileText(answer),
        ...bullets(
          'steps',
          answer.steps.map((step, at) => `${at + 1}. ${step}`),
        ),
        ...bullets('inspect', answer.files_to_inspect),
        ...bullets('tests', answer.tests_to_run),
        ...sessionBullets(answer.related_sessions, invocation.settings.times),
        ...bullets('stop when', answer.action_guidance.stop_signals),
      ],
    });
    invocation.hint(answer.action_guidance.recommended_next_command);
    return 0;
  });

/** `pal repo risk`. */
export const risk: Handler<typeof tree.repoRiskCommand> = (invocation, _args, { limit }) =>
  withMemory(invocation, (memory) => {
    const answer = ranking(memory, limit ?? 20);
    emit(invocation, {
      json: answer,
      records: answer.files,
      ids: answer.files.map(({ path }) => path),
      text: () => [...staleText(answer.freshness), ...answer.files.map(riskLine)],
    });
    if (answer.freshness.is_stale) invocation.hint('pal repo index');
    return 0;
  });

/** `pal repo neighbors FILE`. */
export const neighborsOf: Handler<typeof tree.repoNeighborsCommand> = (invocation, { file }, { limit }) =>
  withMemory(invocation, (memory) => {
    const answer = neighbors(memory, file, limit ?? 10);
    emit(invocation, {
      json: answer,
      records: answer.neighbors,
      ids: answer.neighbors.map(({ path }) => path),
      text: () => [
        ...staleText(answer.freshness),
        ...(answer.neighbors.length === 0 && memory.isIndexed
          ? ['no file changed with it in the commits that were read']
          : []),
        ...neighborLines('changes with', answer.neighbors),
        ...neighborLines('and with everything', answer.plumbing),
        ...notesText(answer.evidence.notes.slice(0, -1)),
      ],
    });
    if (answer.freshness.is_stale) invocation.hint('pal repo index');
    return 0;
  });

/** `pal repo changed`. */
export const changedNow: Handler<typeof tree.repoChangedCommand> = (invocation) =>
  withMemory(invocation, (memory) => {
    const answer = changed(memory);
    emit(invocation, {
      json: answer,
      records: answer.files,
      ids: answer.files.map(({ path }) => path),
      text: () => [
        ...staleText(answer.freshness),
        answer.summary,
        ...answer.files.map(
          (each) => `${each.working_tree_status}  ${each.risk_level.padEnd(7)}  ${foreignLine(each.path)}`,
        ),
        ...(answer.task === null ? [] : bullets('outside of the task', answer.task.out_of_scope_changed)),
      ],
    });
    invocation.hint(answer.recommended_next_command);
    return 0;
  });

/** `pal repo review [BASE]`. */
export const reviewChange: Handler<typeof tree.repoReviewCommand> = (invocation, { base }, { limit }) =>
  withMemory(invocation, async (memory) => {
    const answer = await review(memory, base);
    emit(invocation, {
      json: answer,
      records: answer.changed_files,
      ids: answer.changed_files.map(({ path }) => path),
      text: () => [
        ...reviewText(answer, limit),
        ...sessionBullets(answer.related_sessions, invocation.settings.times),
      ],
    });
    invocation.hint(answer.action_guidance.recommended_next_command);
    return 0;
  });

/** `pal repo handoff [BASE]`. */
export const handOff: Handler<typeof tree.repoHandoffCommand> = (invocation, { base }) =>
  withMemory(invocation, async (memory) => {
    const answer = await handoff(memory, base);
    emit(invocation, {
      json: answer,
      records: [answer],
      ids: [],
      text: () => [answer.summary, ...reviewText(answer.review), ...bullets('next', answer.next_actions)],
    });
    return 0;
  });

/** `pal repo decisions QUERY`. */
export const decided: Handler<typeof tree.repoDecisionsCommand> = (invocation, { query }, { limit }) =>
  withMemory(invocation, (memory) => {
    const answer = decisions(memory, query, limit ?? 10);
    const { times } = invocation.settings;
    emit(invocation, {
      json: answer,
      records: answer.data,
      ids: answer.data.map(({ source_ref: ref }) => ref),
      text: () => [
        ...staleText(answer.freshness),
        ...(answer.data.length === 0 ? ['no commit and no review says so'] : []),
        ...answer.data.flatMap(({ source_ref: ref, title, body, committed_at: at }) => [
          `${ref.slice(0, 10)}  ${moment(at, times)}  ${foreignLine(title)}`,
          ...body
            .split('\n')
            .filter((line) => line.trim() !== '')
            .slice(0, 6)
            .map((line) => `    ${foreignLine(line)}`),
        ]),
      ],
    });
    if (!memory.isIndexed) invocation.hint('pal repo index');
    return 0;
  });

/** `pal repo map`. */
export const map: Handler<typeof tree.repoMapCommand> = (invocation, _args, { tokens, around }) =>
  withMemory(invocation, async (memory) => {
    const answer = await repositoryMap(memory, tokens ?? 2_000, around);
    emit(invocation, {
      json: answer,
      records: [answer],
      ids: [],
      text: () => [
        ...staleText(answer.freshness),
        ...answer.text
          .split('\n')
          .filter((line) => line !== '')
          .map(foreignLine),
        `${answer.shown} of ${answer.files} files, about ${answer.tokens} tokens`,
      ],
    });
    if (!memory.isIndexed) invocation.hint('pal repo index');
    return 0;
  });
