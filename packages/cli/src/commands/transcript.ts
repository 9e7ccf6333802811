import { hostname } from 'node:os';
import {
  chooseEmbedder,
  grepTranscripts,
  type Harness,
  indexTranscripts,
  listTranscripts,
  nothingIndexed,
  type MemoryDatabase,
  openTranscripts,
  relatedTranscripts,
  repositoryScope,
  searchByMeaning,
  searchTranscripts,
  showTranscript,
  transcriptStats,
} from '@palisade/memory';
import type { Invocation } from '../invocation.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { notesText } from '../output/repo-text.ts';
import { byteSize, count, moment } from '../output/time.ts';
import { detailLines, hitLines, sessionLines, usageText } from '../output/transcript-text.ts';
import type * as tree from '../tree/transcript-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import { userPath } from '../user-path.ts';
import type { Handler } from './handler.ts';

/** Questions to git. */
const SCOPE_MS = 60_000;
const LIMIT = 20;
const MESSAGES = 200;

/** The index of transcripts, for as long as `body` takes; what only asks makes none. */
export async function withTranscripts<T>(
  { env }: Invocation,
  body: (database: MemoryDatabase) => T | Promise<T>,
  options: { create?: boolean; isThorough?: boolean } = {},
): Promise<T> {
  using database = openTranscripts({ env, ...options });
  return await body(database);
}

interface Which {
  readonly harness: Harness | undefined;
  readonly machine: string | undefined;
  readonly here: boolean;
}

async function filterOf(invocation: Invocation, { harness, machine, here }: Which) {
  return { harness, machine, folders: here ? (await scopeOf(invocation)).folders : undefined };
}

function scopeOf({ directory, interrupted }: Invocation) {
  return repositoryScope(directory, { deadline: Date.now() + SCOPE_MS, signal: interrupted });
}

/** `pal transcript index`. */
export const index: Handler<typeof tree.transcriptIndexCommand> = (invocation, _args, flags) => {
  const { err, settings, env, directory } = invocation;
  if (flags.machine !== undefined && flags.include.length === 0)
    throw new UsageError('--machine says where what is included comes from', { next: 'add --include PATH' });
  const isShown = err.isTty && settings.manner === 'live';
  const now = Date.now();
  return withTranscripts(
    invocation,
    async (database) => {
      const answer = await indexTranscripts({
        database,
        env,
        now,
        signal: invocation.interrupted,
        host: hostname(),
        include: flags.include.map((path) => userPath(directory, path)),
        forget: flags.forget.map((path) => userPath(directory, path)),
        machine: flags.machine,
        harness: flags.harness,
        since: flags.since === undefined ? undefined : now - flags.since,
        ...(flags.quietPeriod === undefined ? {} : { quietMs: flags.quietPeriod }),
        isForced: flags.rebuild,
        onProgress: (files, bytes) => {
          if (isShown && files % 100 === 0) err.line(`read ${count(files, 'file')}, ${byteSize(bytes)}`);
        },
      });
      const loss = database.loss === undefined ? [] : [database.loss];
      emit(invocation, {
        json: { ...answer, notes: [...loss, ...answer.notes] },
        records: [answer],
        ids: [],
        text: () => [
          `indexed   ${count(answer.session_count, 'session')}, ${count(answer.message_count, 'message')}  ${foreignLine(answer.database)}`,
          `files     ${answer.added} new, ${answer.appended} grown, ${answer.rewritten} rewritten, ${answer.removed} gone, ${answer.unchanged} unchanged`,
          ...(answer.busy === 0
            ? []
            : [
                `waiting   ${count(answer.busy, 'file')} changed less than the quiet period ago: repeat it later, or now with --quiet-period 0`,
              ]),
          ...(answer.failed === 0 ? [] : [`failed    ${count(answer.failed, 'file')}`]),
          ...notesText([...loss, ...answer.notes]),
        ],
      });
      invocation.hint('pal transcript list', 'pal transcript search WORDS');
      return 0;
    },
    { create: true, isThorough: flags.rebuild },
  );
};

/** `pal transcript list`. */
export const list: Handler<typeof tree.transcriptListCommand> = (invocation, _args, flags) =>
  withTranscripts(invocation, async (database) => {
    const answer = listTranscripts(database, {
      ...(await filterOf(invocation, flags)),
      hasSides: flags.sides,
      limit: flags.limit ?? LIMIT,
    });
    const { times } = invocation.settings;
    const none = nothingIndexed(database, flags);
    emit(invocation, {
      json: answer,
      records: answer.data,
      ids: answer.data.map(({ id }) => id),
      text: () =>
        answer.data.length === 0
          ? [none ?? 'none of the transcripts that are indexed is so']
          : [
              ...answer.data.flatMap((session) => sessionLines(session, times)),
              ...(answer.has_more ? ['there is more: --limit'] : []),
            ],
    });
    return 0;
  });

/** `pal transcript show SESSION`. */
export const show: Handler<typeof tree.transcriptShowCommand> = (invocation, { session }, flags) =>
  withTranscripts(invocation, (database) => {
    const isWhole = flags.transcript || flags.after !== undefined || flags.limit !== undefined;
    const answer = showTranscript(database, session, {
      messages: isWhole ? { after: flags.after ?? 0, limit: flags.limit ?? MESSAGES } : undefined,
    });
    emit(invocation, {
      json: answer,
      records: answer.messages ?? [answer],
      ids: [answer.id],
      text: () => detailLines(answer, invocation.settings.times),
    });
    return 0;
  });

/** `pal transcript search WORDS`. */
export const search: Handler<typeof tree.transcriptSearchCommand> = (invocation, { query }, flags) =>
  withTranscripts(invocation, async (database) => {
    const words = query.join(' ').trim();
    if (words === '')
      throw new UsageError('there is nothing to search for', { next: 'pal transcript search WORDS' });
    if (flags.semantic && flags.hybrid)
      throw new UsageError('say one of --semantic and --hybrid', {
        why: 'one is by likeness alone, the other by words too',
      });
    const options = {
      ...(await filterOf(invocation, flags)),
      query: words,
      limit: flags.limit ?? LIMIT,
    };
    const answer =
      flags.semantic || flags.hybrid
        ? await searchByMeaning(database, {
            ...options,
            embedder: chooseEmbedder(invocation.env),
            signal: invocation.interrupted,
            isHybrid: flags.hybrid,
          })
        : searchTranscripts(database, options);
    const { times } = invocation.settings;
    emit(invocation, {
      json: answer,
      records: answer.data,
      ids: answer.data.map(({ session }) => session.id),
      text: () => [
        ...(answer.taken_as === 'any' ? ['no message has all of the words; these have some:'] : []),
        ...answer.data.flatMap((hit) => hitLines(hit, times)),
        ...notesText(answer.notes),
      ],
    });
    return 0;
  });

/** `pal transcript grep PATTERN`: exit 1 when nothing has it, as grep does. */
export const grep: Handler<typeof tree.transcriptGrepCommand> = (invocation, { pattern }, flags) =>
  withTranscripts(invocation, async (database) => {
    if (pattern === '') throw new UsageError('the pattern is empty');
    const answer = grepTranscripts(database, {
      ...(await filterOf(invocation, flags)),
      pattern,
      isExpression: flags.regex,
      isAnyCase: flags.ignoreCase,
      limit: flags.limit ?? LIMIT,
    });
    emit(invocation, {
      json: answer,
      records: answer.data,
      ids: answer.data.map(({ session_id: id }) => id),
      text: () => [
        ...answer.data.map(
          ({ session_id: id, line, role, snippet }) =>
            `${foreignLine(id)}:${line}:${role}: ${foreignLine(snippet)}`,
        ),
        ...(answer.has_more ? ['there is more: --limit'] : []),
      ],
    });
    return answer.data.length === 0 ? 1 : 0;
  });

/** `pal transcript related`. */
export const related: Handler<typeof tree.transcriptRelatedCommand> = (invocation, { query }, flags) =>
  withTranscripts(invocation, async (database) => {
    const answer = relatedTranscripts(database, {
      scope: await scopeOf(invocation),
      directory: invocation.directory,
      files: flags.file,
      query: query.join(' '),
      isEverywhere: flags.everywhere,
      limit: flags.limit ?? LIMIT,
      now: Date.now(),
    });
    const { times } = invocation.settings;
    emit(invocation, {
      json: answer,
      records: answer.data,
      ids: answer.data.map(({ session }) => session.id),
      text: () => [
        ...(answer.data.length === 0 ? ['no session has to do with it'] : []),
        ...answer.data.flatMap(({ session, score, signals }) => [
          ...sessionLines(session, times),
          `  score ${score}: ${Object.entries(signals)
            .map(([name, value]) => `${foreignLine(name)} ${value}`)
            .join(', ')}`,
        ]),
        ...notesText(answer.notes),
      ],
    });
    return 0;
  });

/** `pal transcript stats`. */
export const stats: Handler<typeof tree.transcriptStatsCommand> = (invocation) =>
  withTranscripts(invocation, (database) => {
    const answer = transcriptStats(database);
    const { times } = invocation.settings;
    emit(invocation, {
      json: answer,
      records: [answer],
      ids: [],
      text: () => [
        `index     ${foreignLine(answer.database)}  ${byteSize(answer.database_bytes)}${answer.indexed_at === null ? '' : `  ${moment(answer.indexed_at, times)}`}`,
        `sessions  ${answer.sessions}, ${count(answer.side_conversations, 'side conversation')}, ${count(answer.messages, 'message')}`,
        `files     ${answer.files}, ${answer.unclaimed_files} of no known program, ${answer.truncated} truncated`,
        `tokens    ${usageText(answer.usage)}`,
        ...answer.by_harness.map(
          ({ harness, sessions, messages }) =>
            `  ${harness.padEnd(12)} ${count(sessions, 'session')}, ${count(messages, 'message')}`,
        ),
        ...answer.by_model.map(
          ({ model, answers, ...usage }) =>
            `  ${foreignLine(model)}  ${count(answers, 'answer')}: ${usageText(usage)}`,
        ),
        ...answer.embeddings.map(
          ({ provider, model, chunks, backlog }) =>
            `vectors   ${foreignLine(provider)} ${foreignLine(model)}: ${count(chunks, 'piece')}, ${count(backlog, 'session')} to do`,
        ),
      ],
    });
    return 0;
  });
