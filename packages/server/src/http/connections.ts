import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes that were on their way when a server began to stop get this long to become a request. */
const GRACE_MS = 200;

/**
 * The connections of a server, and how they end when it stops. One that answers something ends with that answer, and says so while it
 * still can; one that is silent, kept for later or in the middle of a request's head has nothing to wait for. Without this a client that
 * merely stays connected would hold up every stop for as long as requests may take.
 */
export class Connections {
  readonly #busy = new Map<Socket, Set<ServerResponse>>();
  #isDraining = false;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#busy.set(socket, new Set());
      socket.once('close', () => this.#busy.delete(socket));
    });
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      const answers = this.#busy.get(socket);
      answers?.add(response);
      if (this.#isDraining) sayLast(response);
      response.once('close', () => {
        answers?.delete(response);
        if (this.#isDraining && answers?.size === 0) socket.destroySoon();
      });
    });
  }

  /** From now on no connection is kept. */
  drain(): void {
    this.#isDraining = true;
    for (const answers of this.#busy.values()) for (const response of answers) sayLast(response);
    setTimeout(() => {
      for (const [socket, answers] of this.#busy) if (answers.size === 0) socket.destroy();
    }, GRACE_MS).unref();
  }
}

/** Whoever keeps the connection is told that it is the last answer. */
function sayLast(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
