import { Agent, request } from 'node:http';
import type { WireRequest } from './broken-request.ts';

/** A reply as it came. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** A server answers within this on a busy machine, or it hangs. */
const ANSWER_MS = 20_000;

/** Sends requests as they are, over connections that are kept; `fetch` would correct some of them on the way. */
export class WireClient {
  readonly #origin: URL;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(origin: string) {
    this.#origin = new URL(origin);
  }

  /** Raises an Error for a reply that does not come, or breaks off; null for a request that no client can send at all. */
  async send({ method, target, headers, body }: WireRequest): Promise<WireAnswer | null> {
    // A space or a control character in the request line is refused by the client's own parser.
    if (!/^\/[\x21-\x7e]*$/.test(target)) return null;
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: this.#origin.hostname,
          port: this.#origin.port,
          method,
          path: target,
          headers: { ...headers, ...(body === undefined ? {} : { 'Content-Length': body.length }) },
          agent: this.#agent,
          timeout: ANSWER_MS,
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
          );
          response.on('error', reject);
        },
      );
      sent.on('timeout', () => sent.destroy(new Error(`no answer to ${method} ${target} in time`)));
      sent.on('error', reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
