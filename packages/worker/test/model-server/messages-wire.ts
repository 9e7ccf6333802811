import { randomBytes } from 'node:crypto';
import { DEFAULT_USAGE, type Turn } from './script.ts';

type Event = readonly [type: string, data: object];

/** The events of an answer in the Messages wire (Anthropic), as its stream gives them. */
export function messagesEvents(turn: Turn, model: unknown): Event[] {
  const { input, output } = turn.usage ?? DEFAULT_USAGE;
  const usage = {
    input_tokens: input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: output,
  };
  const blocks = [
    ...(turn.say === undefined ? [] : [{ type: 'text', text: turn.say }]),
    ...(turn.calls ?? []).map(({ name, input }) => ({ type: 'tool_use', id: id('toolu'), name, input })),
  ];
  const message = {
    id: id('msg'),
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_sequence: null,
  };
  const stop = (turn.calls ?? []).length > 0 ? 'tool_use' : 'end_turn';
  return [
    ['message_start', { message: { ...message, stop_reason: null, usage: { ...usage, output_tokens: 1 } } }],
    ...blocks.flatMap((block, index) => blockEvents(block, index)),
    ['message_delta', { delta: { stop_reason: stop, stop_sequence: null }, usage }],
    ['message_stop', {}],
  ];
}

/** The error body of this wire. */
export function messagesError(status: number, message: string): object {
  const types: Readonly<Record<number, string>> = { 401: 'authentication_error', 429: 'rate_limit_error' };
  return { type: 'error', error: { type: types[status] ?? 'invalid_request_error', message } };
}

function blockEvents(
  block: object & { type: string; text?: string; input?: unknown },
  index: number,
): Event[] {
  const isText = block.type === 'text';
  const text = isText ? (block.text ?? '') : JSON.stringify(block.input ?? {});
  const deltas = isText ? (text.match(/\S+\s*/g) ?? []) : (text.match(/[\s\S]{1,40}/g) ?? []);
  return [
    [
      'content_block_start',
      { index, content_block: isText ? { ...block, text: '' } : { ...block, input: {} } },
    ],
    ...deltas.map(
      (piece): Event => [
        'content_block_delta',
        {
          index,
          delta: isText
            ? { type: 'text_delta', text: piece }
            : { type: 'input_json_delta', partial_json: piece },
        },
      ],
    ),
    ['content_block_stop', { index }],
  ];
}

function id(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}
