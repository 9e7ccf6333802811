import { randomBytes } from 'node:crypto';
import { DEFAULT_USAGE, type Turn } from './script.ts';

/** The pieces of an answer in the Chat Completions wire (OpenAI), as its stream gives them before `[DONE]`. */
export function chatChunks(turn: Turn, model: unknown): object[] {
  const { input, output } = turn.usage ?? DEFAULT_USAGE;
  const calls = turn.calls ?? [];
  const created = Math.floor(Date.now() / 1_000);
  const base = { id: id('chatcmpl'), object: 'chat.completion.chunk', created, model };
  const choice = (delta: object, finish_reason: string | null = null): object => ({
    ...base,
    choices: [{ index: 0, delta, finish_reason }],
  });
  return [
    choice({ role: 'assistant', content: '' }),
    ...((turn.say ?? '').match(/\S+\s*/g) ?? []).map((content) => choice({ content })),
    ...calls.map(({ name, input: given }, index) =>
      choice({
        tool_calls: [
          { index, id: id('call'), type: 'function', function: { name, arguments: JSON.stringify(given) } },
        ],
      }),
    ),
    choice({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    {
      ...base,
      choices: [],
      usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    },
  ];
}

function id(prefix: string): string {
  return `${prefix}-${randomBytes(12).toString('hex')}`;
}
