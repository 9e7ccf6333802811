import type { Fields, HarnessReader, TranscriptEvent } from '../events.ts';
import { amount, callEvents, fields, isFields, list, text } from './fields.ts';

/** OpenCode: what `opencode export SESSION` writes, one JSON document a session. */
export const opencode: HarnessReader = {
  harness: 'opencode',

  claims: (record) =>
    isFields(record['info']) &&
    Array.isArray(record['messages']) &&
    typeof record['info']['id'] === 'string' &&
    typeof record['info']['directory'] === 'string',

  unpack: (document) => [{ session: document['info'] }, ...list(document['messages']).filter(isFields)],

  read(record) {
    if (isFields(record['session'])) return sessionEvents(record['session']);
    return isFields(record['info'])
      ? messageEvents(record['info'], list(record['parts']).map(fields))
      : undefined;
  },
};

function sessionEvents(info: Fields): TranscriptEvent[] {
  const model = fields(info['model']);
  return [
    {
      kind: 'session',
      facts: {
        id: text(info['id']),
        parent: text(info['parentID']),
        agent: text(info['parentID']) === undefined ? undefined : text(info['agent']),
        cwd: text(info['directory']),
        title: text(info['title']),
        version: text(info['version']),
        model: text(model['id']),
        modelProvider: text(model['providerID']),
      },
    },
  ];
}

function messageEvents(info: Fields, parts: readonly Fields[]): TranscriptEvent[] {
  const id = text(info['id']);
  const isPerson = info['role'] === 'user';
  const model = text(info['modelID']);
  const finish = text(info['finish']);
  const events: TranscriptEvent[] = [
    {
      kind: 'session',
      facts: {
        model,
        modelProvider: text(info['providerID']),
        status: info['error'] === undefined ? (finish === 'stop' ? 'complete' : 'seen') : 'aborted',
      },
    },
  ];
  for (const part of parts) {
    const words = text(part['text']);
    if (part['type'] === 'text' && words !== undefined && part['synthetic'] !== true)
      events.push({ kind: 'message', message: { role: isPerson ? 'user' : 'assistant', text: words, id } });
    else if (part['type'] === 'reasoning' && words !== undefined)
      events.push({ kind: 'message', message: { role: 'thinking', text: words, id } });
    else if (part['type'] === 'tool') events.push(...toolEvents(part));
    else if (part['type'] === 'patch')
      for (const path of list(part['files']))
        if (typeof path === 'string') events.push({ kind: 'file', path });
  }
  const tokens = info['tokens'];
  if (!isPerson && id !== undefined && isFields(tokens)) {
    const cache = fields(tokens['cache']);
    events.push({
      kind: 'usage',
      usage: {
        id,
        model,
        input: amount(tokens['input']),
        output: amount(tokens['output']) + amount(tokens['reasoning']),
        cacheRead: amount(cache['read']),
        cacheWrite: amount(cache['write']),
      },
    });
  }
  return events;
}

function toolEvents(part: Fields): TranscriptEvent[] {
  const state = fields(part['state']);
  const id = text(part['callID']);
  const isError = state['status'] === 'error';
  const given = text(isError ? state['error'] : state['output']);
  return [
    ...callEvents(text(part['tool']) ?? 'tool', state['input'], id),
    ...(given === undefined
      ? []
      : [{ kind: 'message' as const, message: { role: 'tool_result' as const, text: given, id, isError } }]),
  ];
}
