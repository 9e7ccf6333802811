/** One event of a stream; an `id` is absent where the stream gave none. */
export interface ServerSentEvent {
  readonly type: string;
  readonly data: string;
  readonly id?: string;
}

/** Longest event that is taken, characters. */
const MAX_EVENT = 4 * 1024 * 1024;

/**
 * Events of a `text/event-stream`, each when it has arrived whole: what the stream's end cuts off was not said. Comments are told as `null`:
 * they are signs of life. Raises an Error for an event that is too long, and what the stream raises.
 */
export async function* serverSentEvents(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent | null> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of body) {
    text += decoder.decode(part, { stream: true });
    for (;;) {
      const end = /\r?\n\r?\n/.exec(text);
      if (end === null) break;
      yield eventOf(text.slice(0, end.index));
      text = text.slice(end.index + end[0].length);
    }
    if (text.length > MAX_EVENT) throw new Error('an event is too long');
  }
}

function eventOf(block: string): ServerSentEvent | null {
  const data: string[] = [];
  let type = 'message';
  let id: string | undefined;
  for (const line of block.split(/\r?\n/)) {
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (field === 'data') data.push(value);
    else if (field === 'event') type = value;
    else if (field === 'id') id = value;
  }
  return data.length === 0 ? null : { type, data: data.join('\n'), ...(id === undefined ? {} : { id }) };
}
