import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A message as it arrived. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly path: string;
}

/** How a receiver answers: a status, or what it does with the connection. */
export type Answer = number | 'hang' | 'cut' | ((response: ServerResponse) => void);

/** A real HTTP server that gives the answers it was told, in order, the last one for ever. */
export class Receiver {
  readonly received: Received[] = [];
  answers: Answer[];
  #port = 0;

  private constructor(answers: Answer[]) {
    this.answers = answers;
  }

  static async open(...answers: Answer[]): Promise<Receiver> {
    const receiver = new Receiver(answers);
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        receiver.received.push({
          headers: request.headers,
          body: Buffer.concat(chunks),
          path: request.url ?? '',
        });
        const answer = receiver.answers.length > 1 ? receiver.answers.shift() : receiver.answers[0];
        if (answer === 'cut') response.destroy();
        else if (typeof answer === 'function') answer(response);
        else if (typeof answer === 'number') response.writeHead(answer).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    receiver.#port = (server.address() as AddressInfo).port;
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return receiver;
  }

  url(path = '/hook'): string {
    return `http://127.0.0.1:${this.#port}${path}`;
  }

  /** The ids under which messages arrived, in order. */
  get ids(): string[] {
    return this.received.map(({ headers }) => String(headers['webhook-id']));
  }
}
