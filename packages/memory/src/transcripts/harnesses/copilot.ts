import type { Fields, HarnessReader, TranscriptEvent } from '../events.ts';
import { amount, callEvents, fields, isFields, isInjected, list, text, textOf } from './fields.ts';

const SILENT =
  /^(?:session\.(?:permissions_changed|info|idle|model_change|truncation|compaction.*|mode_changed|context_changed|warning)|system\.(?:message|notification)|assistant\.(?:turn_start|turn_end|reasoning|intent|usage)|tool\.(?:execution_start|user_requested|execution_progress)|subagent\..*|hook\..*|permission\..*)$/;

/** GitHub Copilot CLI: `~/.copilot/session-state/<session>/events.jsonl`. */
export const copilot: HarnessReader = {
  harness: 'copilot',

  claims: (record) =>
    isFields(record['data']) &&
    typeof record['type'] === 'string' &&
    /^(?:session|user|assistant|tool|system)\.\w+$/.test(record['type']) &&
    'parentId' in record,

  read(record) {
    const type = text(record['type']) ?? '';
    const data = fields(record['data']);
    switch (type) {
      case 'session.start':
      case 'session.resume':
        return startEvents(data);
      case 'user.message': {
        const words = text(data['content']);
        if (words === undefined || isInjected(words)) return [];
        return [
          { kind: 'session', facts: { status: 'seen' } },
          { kind: 'message', message: { role: 'user', text: words, id: text(data['messageId']) } },
        ];
      }
      case 'assistant.message':
        return answerEvents(data);
      case 'tool.execution_complete':
        return resultEvents(data);
      case 'session.usage_record':
        return usageEvents(data);
      case 'session.error':
        return [
          {
            kind: 'message',
            message: { role: 'tool_result', text: text(data['message']) ?? 'error', isError: true },
          },
        ];
      case 'abort':
        return [{ kind: 'session', facts: { status: 'aborted' } }];
      case 'session.shutdown':
        return data['shutdownType'] === 'routine' ? [{ kind: 'session', facts: { status: 'complete' } }] : [];
      default:
        return SILENT.test(type) ? [] : undefined;
    }
  },
};

function startEvents(data: Fields): TranscriptEvent[] {
  const context = fields(data['context']);
  return [
    {
      kind: 'session',
      facts: {
        id: text(data['sessionId']),
        cwd: text(context['cwd']),
        branch: text(context['branch']),
        origin: text(context['repository']),
        client: text(data['producer']),
        model: text(data['selectedModel']),
        version: text(data['copilotVersion']),
      },
    },
  ];
}

function answerEvents(data: Fields): TranscriptEvent[] {
  const id = text(data['messageId']);
  const words = text(data['content']);
  const thought = text(data['reasoningText']);
  return [
    { kind: 'session', facts: { model: text(data['model']) } },
    ...(thought === undefined
      ? []
      : [{ kind: 'message' as const, message: { role: 'thinking' as const, text: thought, id } }]),
    ...(words === undefined
      ? []
      : [{ kind: 'message' as const, message: { role: 'assistant' as const, text: words, id } }]),
    ...list(data['toolRequests'])
      .map(fields)
      .flatMap((call) =>
        callEvents(text(call['name']) ?? 'tool', call['arguments'], text(call['toolCallId'])),
      ),
  ];
}

function resultEvents(data: Fields): TranscriptEvent[] {
  const result = fields(data['result']);
  const given =
    text(result['content']) ?? text(fields(data['error'])['message']) ?? textOf(result['contents']);
  const exit = fields(data['shellExecution'])['exitCode'];
  const isError = data['success'] === false || (typeof exit === 'number' && exit !== 0);
  return [
    {
      kind: 'message',
      message: { role: 'tool_result', text: given, id: text(data['toolCallId']), isError },
    },
    ...list(data['fileEdits']).flatMap((edit) => {
      const path = text(fields(edit)['path']);
      return path === undefined ? [] : [{ kind: 'file' as const, path }];
    }),
  ];
}

function usageEvents(data: Fields): TranscriptEvent[] {
  const usage = fields(data['usage']);
  const id = text(usage['apiCallId']);
  if (id === undefined) return [];
  const cacheRead = amount(usage['cacheReadTokens']);
  return [
    {
      kind: 'usage',
      usage: {
        id,
        model: text(usage['model']),
        input: Math.max(0, amount(usage['inputTokens']) - cacheRead),
        output: amount(usage['outputTokens']),
        cacheRead,
        cacheWrite: amount(usage['cacheWriteTokens']),
      },
    },
  ];
}
