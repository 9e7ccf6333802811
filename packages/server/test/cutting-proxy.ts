import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/**
 * Where a connection is cut: `before` its reply's first byte reaches the client, in the `head` of the reply, or in its `body`. In each
 * case the server has answered, so what was asked for is committed.
 */
export type Cut = 'before' | 'head' | 'body';

/** A TCP proxy before a server, which cuts connections in the middle of replies when it is told to. */
export class CuttingProxy {
  /** Bodies of the replies that were cut, whole, as the server sent them. */
  readonly cut: string[] = [];
  readonly url: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #next: { readonly where: Cut; readonly answered: () => Promise<void> | void } | undefined;

  private constructor(server: Server, sockets: Set<Socket>) {
    this.#server = server;
    this.#sockets = sockets;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async before(target: string): Promise<CuttingProxy> {
    const { hostname, port } = new URL(target);
    const sockets = new Set<Socket>();
    const server = createServer((client) => {
      const upstream = connect(Number(port), hostname);
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket
          .on('error', () => {})
          .on('close', () => {
            sockets.delete(socket);
            client.destroy();
            upstream.destroy();
          });
      }
      client.pipe(upstream);
      upstream.on('data', (bytes: Buffer) => proxy.#reply(client, bytes));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new CuttingProxy(server, sockets);
    return proxy;
  }

  /** Cuts the next reply there. `answered` is called when the server has answered, before the client can tell. */
  cutNext(where: Cut, answered: () => Promise<void> | void = () => {}): void {
    this.#next = { where, answered };
  }

  #reply(client: Socket, bytes: Buffer): void {
    const next = this.#next;
    if (next === undefined) {
      client.write(bytes);
      return;
    }
    this.#next = undefined;
    const end = bytes.indexOf('\r\n\r\n') + 4;
    this.cut.push(bytes.subarray(end).toString('utf8'));
    const passed = { before: 0, head: Math.floor(end / 2), body: end + 1 }[next.where];
    void (async () => {
      await next.answered();
      if (passed === 0) client.destroy();
      else client.write(bytes.subarray(0, passed), () => client.destroySoon());
    })();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }
}
