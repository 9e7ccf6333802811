import { PalisadeError } from '@palisade/contracts';

/** Whose answer it is, and how long it may be. */
export interface AnswerBounds {
  readonly origin: string;
  readonly maxBytes: number;
}

/** An answer that is longer than it may be: asking again gives no shorter one. Whether a change was made is not known. */
export class OversizedAnswer extends PalisadeError {
  constructor({ origin, maxBytes }: AnswerBounds) {
    super('upstream_failed', `${origin} answered with more than ${maxBytes} bytes`, {
      why: 'no answer of a palisade server to this is as long',
      next: 'check that the address is that of your server',
    });
  }
}

/**
 * The JSON value of an answer. Its bytes are counted as they come and after they were inflated; beyond `maxBytes` the connection is given
 * up. Raises {@link OversizedAnswer}, a SyntaxError for what is no JSON, and what the connection raises.
 */
export async function boundedJson(response: Response, bounds: AnswerBounds): Promise<unknown> {
  const decoder = new TextDecoder();
  let size = 0;
  let text = '';
  // Leaving the loop cancels the body.
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > bounds.maxBytes) throw new OversizedAnswer(bounds);
    text += decoder.decode(part, { stream: true });
  }
  return JSON.parse(text + decoder.decode());
}
