import type { Fields, HarnessReader, TranscriptEvent } from '../events.ts';
import { amount, callEvents, fields, isFields, isInjected, list, text, textOf } from './fields.ts';

/** What the program puts first says which directory it works in, and nothing else does. */
const WORKSPACE = /Workspace Directories:\*\*\n\s+- (.+)/;

/** Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.jsonl`, one document `….json` in older versions. */
export const geminiCli: HarnessReader = {
  harness: 'gemini-cli',

  claims: (record) => typeof record['projectHash'] === 'string' && typeof record['sessionId'] === 'string',

  unpack: (document) => [document, ...list(document['messages']).filter(isFields)],

  read(record) {
    if (typeof record['projectHash'] === 'string')
      return [{ kind: 'session', facts: { id: text(record['sessionId']), client: text(record['kind']) } }];
    const set = record['$set'];
    if (isFields(set)) return list(set['messages']).flatMap((each) => messageEvents(fields(each)) ?? []);
    return messageEvents(record);
  },
};

function messageEvents(record: Fields): TranscriptEvent[] | undefined {
  const id = text(record['id']);
  const words = textOf(record['content']);
  switch (record['type']) {
    case 'user':
      if (isInjected(words)) return [{ kind: 'session', facts: { cwd: WORKSPACE.exec(words)?.[1]?.trim() } }];
      return words === ''
        ? []
        : [
            { kind: 'session', facts: { status: 'seen' } },
            { kind: 'message', message: { role: 'user', text: words, id } },
          ];
    case 'gemini':
      return answerEvents(record, id, words);
    case 'error':
      return [{ kind: 'message', message: { role: 'tool_result', text: words, id, isError: true } }];
    default:
      return record['type'] === 'info' || record['type'] === 'warning' ? [] : undefined;
  }
}

function answerEvents(record: Fields, id: string | undefined, words: string): TranscriptEvent[] {
  const model = text(record['model']);
  const calls = list(record['toolCalls']).map(fields);
  const status = calls.length === 0 && words !== '' ? 'complete' : 'seen';
  const events: TranscriptEvent[] = [{ kind: 'session', facts: { model, status } }];
  for (const thought of list(record['thoughts']).map(fields)) {
    const said = [text(thought['subject']), text(thought['description'])].filter(
      (each) => each !== undefined,
    );
    if (said.length > 0)
      events.push({ kind: 'message', message: { role: 'thinking', text: said.join('\n'), id } });
  }
  if (words !== '') events.push({ kind: 'message', message: { role: 'assistant', text: words, id } });
  for (const call of calls) {
    const callId = text(call['id']);
    events.push(...callEvents(text(call['name']) ?? 'tool', call['args'], callId));
    const response = list(call['result']).map((each) =>
      fields(fields(fields(each)['functionResponse'])['response']),
    );
    const given = response.map((each) => text(each['output']) ?? text(each['error']) ?? '').join('\n');
    const isError = call['status'] === 'error' || call['status'] === 'cancelled';
    events.push({ kind: 'message', message: { role: 'tool_result', text: given, id: callId, isError } });
  }
  const tokens = record['tokens'];
  if (id !== undefined && isFields(tokens)) {
    const cacheRead = amount(tokens['cached']);
    events.push({
      kind: 'usage',
      usage: {
        id,
        model,
        input: Math.max(0, amount(tokens['input']) - cacheRead),
        output: amount(tokens['output']) + amount(tokens['thoughts']),
        cacheRead,
        cacheWrite: 0,
      },
    });
  }
  return events;
}
