import { randomBytes } from 'node:crypto';
import { DEFAULT_USAGE, type Turn } from './script.ts';

type Event = readonly [type: string, data: object];
interface Item {
  readonly id: string;
  readonly type: string;
  readonly [member: string]: unknown;
}

/** The events of an answer in the Responses wire (OpenAI), as its stream gives them. */
export function responsesEvents(turn: Turn, model: unknown): Event[] {
  const { input, output } = turn.usage ?? DEFAULT_USAGE;
  const items = itemsOf(turn);
  const response = {
    id: id('resp'),
    object: 'response',
    created_at: Math.floor(Date.now() / 1_000),
    model,
    parallel_tool_calls: false,
    tools: [],
    error: null,
  };
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
  const events: Event[] = [
    ['response.created', { response: { ...response, status: 'in_progress', output: [] } }],
    ...items.flatMap((item, index) => itemEvents(item, index)),
    ['response.completed', { response: { ...response, status: 'completed', output: items, usage } }],
  ];
  return events.map(([type, data], number) => [type, { sequence_number: number, ...data }]);
}

/** The error body of this wire. */
export function responsesError(message: string): object {
  return { error: { type: 'invalid_request_error', code: null, message } };
}

function itemsOf(turn: Turn): Item[] {
  const text = (say: string): Item => ({
    id: id('msg'),
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text: say, annotations: [] }],
  });
  const call = (name: string, input: unknown): Item =>
    typeof input === 'string'
      ? { id: id('ctc'), type: 'custom_tool_call', call_id: id('call'), name, input, status: 'completed' }
      : {
          id: id('fc'),
          type: 'function_call',
          call_id: id('call'),
          name,
          arguments: JSON.stringify(input),
          status: 'completed',
        };
  return [
    ...(turn.say === undefined ? [] : [text(turn.say)]),
    ...(turn.calls ?? []).map(({ name, input }) => call(name, input)),
  ];
}

function itemEvents(item: Item, output_index: number): Event[] {
  const begun = { ...item, status: 'in_progress', ...emptyPart(item) };
  const place = { item_id: item.id, output_index };
  return [
    ['response.output_item.added', { output_index, item: begun }],
    ...deltaEvents(item, place),
    ['response.output_item.done', { output_index, item }],
  ];
}

function emptyPart(item: Item): object {
  if (item.type === 'message') return { content: [] };
  return item.type === 'function_call' ? { arguments: '' } : { input: '' };
}

function deltaEvents(item: Item, place: object): Event[] {
  if (item.type === 'function_call')
    return [
      ['response.function_call_arguments.delta', { ...place, delta: item['arguments'] }],
      ['response.function_call_arguments.done', { ...place, arguments: item['arguments'] }],
    ];
  if (item.type === 'custom_tool_call')
    return [
      ['response.custom_tool_call_input.delta', { ...place, delta: item['input'] }],
      ['response.custom_tool_call_input.done', { ...place, input: item['input'] }],
    ];
  const [part] = item['content'] as { text: string }[];
  const at = { ...place, content_index: 0 };
  const text = part?.text ?? '';
  return [
    ['response.content_part.added', { ...at, part: { ...part, text: '' } }],
    ...(text.match(/\S+\s*/g) ?? []).map((delta): Event => ['response.output_text.delta', { ...at, delta }]),
    ['response.output_text.done', { ...at, text }],
    ['response.content_part.done', { ...at, part }],
  ];
}

function id(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}
