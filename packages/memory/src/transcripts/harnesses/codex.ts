import type { Fields, HarnessReader, MessageRole, Tokens, TranscriptEvent } from '../events.ts';
import { amount, callEvents, fields, isFields, isInjected, list, text, textOf, unquoted } from './fields.ts';

/** Records that say nothing of their own, by type or by type of the payload. */
const SILENT: ReadonlySet<string> = new Set([
  'world_state',
  'compacted',
  'inter_agent_communication',
  'task_started',
  'turn_started',
  'thread_settings_applied',
  'item_completed',
  'item_started',
  'exec_command_begin',
  'exec_command_end',
  'patch_apply_begin',
  'context_compacted',
  'mcp_tool_call_begin',
  'mcp_tool_call_end',
  'web_search_begin',
  'web_search_end',
  'ghost_snapshot',
  'compaction',
]);
const HEAD =
  /^\{"timestamp":"[^"]{0,40}",(?:"ordinal":\d{1,12},)?"type":"(\w{1,40})","payload":\{(?:"type":"(\w{1,40})")?/;
/** Of function calls: what the shell says of the end of a command. */
const EXIT = /^(?:Exit code: |.{0,200}?Process exited with code )(\d+)/s;

/** Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl` (WM-051). */
export const codex: HarnessReader = {
  harness: 'codex',

  claims: (record) =>
    isFields(record['payload']) &&
    typeof record['type'] === 'string' &&
    typeof record['timestamp'] === 'string',

  isSilent(head) {
    const [, type, payload] = HEAD.exec(head) ?? [];
    return (type !== undefined && SILENT.has(type)) || (payload !== undefined && SILENT.has(payload));
  },

  read(record) {
    const payload = fields(record['payload']);
    switch (record['type']) {
      case 'session_meta':
        return metaEvents(payload);
      case 'turn_context':
        return [
          {
            kind: 'session',
            facts: {
              cwd: text(payload['cwd']),
              model: text(payload['model']),
              countedIn: text(payload['turn_id']),
            },
          },
        ];
      case 'token_usage_record':
        return usageEvents(payload);
      case 'event_msg':
        return eventEvents(payload);
      case 'response_item':
        return itemEvents(payload);
      default:
        return SILENT.has(String(record['type'])) ? [] : undefined;
    }
  },
};

function metaEvents(payload: Fields): TranscriptEvent[] {
  const git = fields(payload['git']);
  const side = fields(fields(fields(payload['source'])['subagent'])['thread_spawn']);
  return [
    {
      kind: 'session',
      facts: {
        id: text(payload['id']),
        // A fork holds the header of what it was forked from, and then its records.
        countedIn: text(payload['id']),
        parent: text(side['parent_thread_id']) ?? text(payload['parent_thread_id']),
        agent: text(side['agent_path']) ?? text(payload['agent_nickname']),
        cwd: text(payload['cwd']),
        client: text(payload['source']) ?? text(payload['originator']),
        modelProvider: text(payload['model_provider']),
        version: text(payload['cli_version']),
        branch: text(git['branch']),
        origin: text(git['repository_url']),
      },
    },
  ];
}

function usageEvents(payload: Fields): TranscriptEvent[] {
  const id = text(payload['response_id']);
  return id === undefined ? [] : [{ kind: 'usage', usage: { id, ...tokensOf(fields(payload['usage'])) } }];
}

/** What older versions write alone, and newer ones beside the record of the answer; limits are told with the last count again. */
function countEvents(payload: Fields): TranscriptEvent[] {
  const { total_token_usage: total, last_token_usage: last } = fields(payload['info']);
  return isFields(total) && isFields(last)
    ? [{ kind: 'usage', usage: { soFar: Object.values(tokensOf(total)).join('/'), ...tokensOf(last) } }]
    : [];
}

function tokensOf(usage: Fields): Tokens {
  const cached = amount(usage['cached_input_tokens']);
  return {
    input: Math.max(0, amount(usage['input_tokens']) - cached),
    output: amount(usage['output_tokens']),
    cacheRead: cached,
    cacheWrite: amount(usage['cache_write_input_tokens']),
  };
}

function eventEvents(payload: Fields): TranscriptEvent[] | undefined {
  const words = text(payload['message']);
  switch (payload['type']) {
    case 'user_message':
      return said('user', words, undefined, 'event');
    case 'agent_message':
      return said('assistant', words, undefined, 'event');
    case 'agent_reasoning':
      return said('thinking', text(payload['text']), undefined, 'event');
    case 'task_complete':
    case 'turn_complete':
      return [
        ...said('assistant', text(payload['last_agent_message']), undefined, 'end'),
        { kind: 'session', facts: { status: 'complete' } },
      ];
    case 'token_count':
      return countEvents(payload);
    case 'turn_aborted':
      return [{ kind: 'session', facts: { status: 'aborted' } }];
    case 'error':
      return words === undefined
        ? []
        : [{ kind: 'message', message: { role: 'tool_result', text: words, isError: true } }];
    case 'patch_apply_end':
      return Object.keys(fields(payload['changes'])).map((path) => ({ kind: 'file', path }));
    default:
      return SILENT.has(String(payload['type'])) ? [] : undefined;
  }
}

function itemEvents(payload: Fields): TranscriptEvent[] | undefined {
  const id = text(payload['call_id']);
  switch (payload['type']) {
    case 'message':
      return spoken(payload);
    case 'reasoning':
      return said('thinking', textOf(payload['summary']), text(payload['id']), 'item');
    case 'function_call':
      return callEvents(text(payload['name']) ?? 'tool', unquoted(payload['arguments']), id);
    case 'local_shell_call':
      return callEvents('shell', payload['action'], id);
    case 'custom_tool_call':
      return callEvents(text(payload['name']) ?? 'tool', payload['input'], id);
    case 'web_search_call':
      return callEvents('web_search', payload['action'], text(payload['id']));
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [outputEvent(payload['output'], id)];
    default:
      return SILENT.has(String(payload['type'])) ? [] : undefined;
  }
}

function spoken(payload: Fields): TranscriptEvent[] {
  const id = text(payload['id']);
  if (payload['role'] === 'assistant') return said('assistant', textOf(payload['content']), id, 'item');
  if (payload['role'] !== 'user') return [];
  return list(payload['content']).flatMap((part) => said('user', text(fields(part)['text']), id, 'item'));
}

function outputEvent(output: unknown, id: string | undefined): TranscriptEvent {
  const given = unquoted(output);
  const inner = isFields(given) ? (text(given['output']) ?? textOf(given['content'])) : textOf(given);
  const words = inner === '' && typeof output === 'string' ? output : inner;
  const exit = isFields(given) ? fields(given['metadata'])['exit_code'] : EXIT.exec(words)?.[1];
  const isError = exit === undefined ? undefined : Number(exit) !== 0;
  return { kind: 'message', message: { role: 'tool_result', text: words, id, isError } };
}

/** A message that was said, in whichever way it is logged. */
function said(
  role: MessageRole,
  words: string | undefined,
  id: string | undefined,
  channel: string,
): TranscriptEvent[] {
  if (words === undefined || words === '' || (role === 'user' && isInjected(words))) return [];
  return [
    ...(role === 'user' ? [{ kind: 'session' as const, facts: { status: 'seen' as const } }] : []),
    { kind: 'message', message: { role, text: words, id, channel } },
  ];
}
