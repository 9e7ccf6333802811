import type {
  TranscriptDetails,
  TranscriptHit,
  TranscriptSession,
  TranscriptUsage,
} from '@palisade/contracts';
import { foreignBlock, foreignLine } from './foreign-text.ts';
import { bullets } from './repo-text.ts';
import { count, moment } from './time.ts';

type Times = 'local' | 'utc';

/** Characters of a title in a list. */
const TITLE = 100;

/** What a session is called by: enough of its id to find it again. */
function shortId({ id }: { readonly id: string }): string {
  return foreignLine(id.length > 12 && !id.includes('/') ? id.slice(0, 12) : id);
}

function shortTitle(title: string): string {
  const characters = [...foreignLine(title)];
  if (characters.length === 0) return '(nothing said)';
  return characters.length <= TITLE ? characters.join('') : `${characters.slice(0, TITLE).join('')}…`;
}

/** Two lines about a session. */
export function sessionLines(session: TranscriptSession, times: Times): readonly string[] {
  const facts = [
    session.harness,
    ...(session.cwd === null ? [] : [session.cwd]),
    ...(session.git_branch === null ? [] : [session.git_branch]),
    count(session.message_count, 'message'),
    ...(session.side_count === 0 ? [] : [count(session.side_count, 'side conversation')]),
    ...(session.status === 'seen' ? [] : [session.status]),
    ...(session.truncated ? ['truncated'] : []),
  ];
  return [
    `${shortId(session)}  ${moment(session.updated_at, times)}  ${shortTitle(session.title)}`,
    `  ${facts.map(foreignLine).join('  ')}`,
  ];
}

export function hitLines(hit: TranscriptHit, times: Times): readonly string[] {
  return [...sessionLines(hit.session, times), `  ${hit.role} ${hit.line}: ${foreignLine(hit.snippet)}`];
}

export function usageText(usage: TranscriptUsage | null): string {
  if (usage === null) return 'unknown';
  return `${usage.input_tokens} in, ${usage.output_tokens} out, ${usage.cache_read_tokens} from the cache, ${usage.cache_write_tokens} into it`;
}

export function detailLines(session: TranscriptDetails, times: Times): readonly string[] {
  const { reading } = session;
  const lost = [
    ...(reading.unknown_records === 0 ? [] : [count(reading.unknown_records, 'unknown record')]),
    ...(reading.malformed_lines === 0
      ? []
      : [count(reading.malformed_lines, 'line that is no record', 'lines that are no records')]),
    ...(reading.oversized_lines === 0
      ? []
      : [count(reading.oversized_lines, 'line too long to read', 'lines too long to read')]),
    ...(reading.skipped_bytes === 0 ? [] : [`${count(reading.skipped_bytes, 'byte')} left out`]),
  ];
  return [
    ...sessionLines(session, times),
    `id       ${foreignLine(session.id)}  key ${session.key}`,
    `file     ${foreignLine(session.path)} on ${foreignLine(session.machine)}`,
    ...(session.parent === null ? [] : [`beside   ${foreignLine(session.parent)}`]),
    `program  ${[session.harness, session.cli_version, session.client, session.model_provider, session.model]
      .filter((each) => each !== null)
      .map(foreignLine)
      .join('  ')}`,
    `tokens   ${usageText(session.usage)}`,
    ...(lost.length === 0 ? [] : [`reading  ${lost.join(', ')}`]),
    ...bullets(
      'asked',
      session.first_user_message === null ? [] : [session.first_user_message.slice(0, 500)],
    ),
    ...bullets(
      'answered last',
      session.last_agent_message === null ? [] : [session.last_agent_message.slice(0, 500)],
    ),
    ...bullets('files', session.files_touched),
    ...bullets('commands', session.commands),
    ...bullets('tools', session.tool_names),
    ...bullets('errors', session.errors),
    ...bullets('side conversations', session.sides),
    ...(session.messages ?? []).flatMap(({ line, at, role, tool, text }) => [
      '',
      `${line}  ${at === null ? '' : `${moment(at, times)}  `}${role}${tool === null ? '' : ` ${foreignLine(tool)}`}`,
      ...foreignBlock(text)
        .split('\n')
        .map((each) => `  ${each}`),
    ]),
    ...(session.has_more === true
      ? ['', `there is more: --after ${session.messages?.at(-1)?.line ?? 0}`]
      : []),
  ];
}
