import type { Fields, HarnessReader, TranscriptEvent } from '../events.ts';
import { amount, callEvents, fields, isFields, isInjected, list, rendered, text, textOf } from './fields.ts';

/** Records that say nothing of what was said or done. */
const SILENT: ReadonlySet<string> = new Set([
  'attachment',
  'system',
  'progress',
  'file-history-snapshot',
  'queue-operation',
  'mode',
  'permission-mode',
  'agent-name',
]);
const TITLES: Readonly<Record<string, string>> = {
  'ai-title': 'aiTitle',
  'custom-title': 'customTitle',
  summary: 'summary',
};

/** Claude Code: `~/.claude/projects/<folder>/<session>.jsonl` (WM-052). */
export const claudeCode: HarnessReader = {
  harness: 'claude-code',

  claims: (record) =>
    (typeof record['sessionId'] === 'string' &&
      typeof record['type'] === 'string' &&
      !('projectHash' in record)) ||
    (record['type'] === 'summary' && typeof record['leafUuid'] === 'string') ||
    (record['type'] === 'file-history-snapshot' && isFields(record['snapshot'])),

  read(record) {
    const type = text(record['type']);
    if (type === undefined) return undefined;
    const facts = sessionEvents(record);
    const titled = TITLES[type];
    if (titled !== undefined) {
      const title = text(record[titled]) ?? text(record['title']);
      return title === undefined
        ? facts
        : [...facts, { kind: 'session', facts: { title } }, message('title', title, undefined)];
    }
    if (type === 'user') return [...facts, ...personEvents(record)];
    if (type === 'assistant') return [...facts, ...modelEvents(record)];
    return SILENT.has(type) || type === 'last-prompt' ? facts : undefined;
  },
};

function sessionEvents(record: Fields): TranscriptEvent[] {
  const id = text(record['sessionId']);
  // What a side conversation says of itself is its own; in its parent's file it belongs to the parent.
  const agent = record['isSidechain'] === true ? text(record['agentId']) : undefined;
  return [
    {
      kind: 'session',
      facts: {
        id: agent === undefined || id === undefined ? id : `${id}/${agent}`,
        parent: agent === undefined ? undefined : id,
        agent,
        cwd: text(record['cwd']),
        client: text(record['entrypoint']),
        version: text(record['version']),
        branch: text(record['gitBranch']),
      },
    },
  ];
}

function personEvents(record: Fields): TranscriptEvent[] {
  const content = fields(record['message'])['content'];
  if (typeof content === 'string') return said(record, content);
  return list(content).flatMap((item) => {
    const part = fields(item);
    if (part['type'] === 'tool_result') {
      const id = text(part['tool_use_id']);
      const given = textOf(part['content']);
      return [
        {
          kind: 'message' as const,
          message: { role: 'tool_result' as const, text: given, id, isError: part['is_error'] === true },
        },
      ];
    }
    return said(record, text(part['text']));
  });
}

function said(record: Fields, words: string | undefined): TranscriptEvent[] {
  if (words?.startsWith('[Request interrupted by user') === true)
    return [{ kind: 'session', facts: { status: 'aborted' } }];
  if (words === undefined || words === '' || record['isMeta'] === true || isInjected(words)) return [];
  return [{ kind: 'session', facts: { status: 'seen' } }, message('user', words, undefined)];
}

function modelEvents(record: Fields): TranscriptEvent[] {
  const answer = fields(record['message']);
  const id = text(answer['id']);
  // Stands for an error of the program itself, not for a model.
  const model = answer['model'] === '<synthetic>' ? undefined : text(answer['model']);
  const events: TranscriptEvent[] = [
    {
      kind: 'session',
      facts: { model, status: answer['stop_reason'] === 'end_turn' ? 'complete' : 'seen' },
    },
  ];
  for (const item of list(answer['content'])) {
    const part = fields(item);
    const words = text(part['text']) ?? text(part['thinking']);
    if (part['type'] === 'tool_use')
      events.push(...callEvents(text(part['name']) ?? 'tool', part['input'], text(part['id'])));
    else if (words !== undefined)
      events.push(message(part['type'] === 'thinking' ? 'thinking' : 'assistant', words, id));
    else if (part['type'] !== 'text' && part['type'] !== 'redacted_thinking' && part['type'] !== 'thinking')
      events.push(message('assistant', rendered(part).slice(0, 1000), id));
  }
  const usage = answer['usage'];
  if (id !== undefined && model !== undefined && isFields(usage))
    events.push({
      kind: 'usage',
      usage: {
        id,
        model,
        input: amount(usage['input_tokens']),
        output: amount(usage['output_tokens']),
        cacheRead: amount(usage['cache_read_input_tokens']),
        cacheWrite: amount(usage['cache_creation_input_tokens']),
      },
    });
  return events;
}

function message(
  role: 'user' | 'assistant' | 'thinking' | 'title',
  said: string,
  id: string | undefined,
): TranscriptEvent {
  return { kind: 'message', message: { role, text: said, id } };
}
