import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A TCP proxy that cuts every connection somewhere in what the server says, until it is told to stop. */
export class FlakyProxy {
  readonly url: string;
  isFlaky = true;
  cuts = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** `bytes` are the most that one connection passes. */
  static async before(target: string, bytes: number): Promise<FlakyProxy> {
    const { hostname, port } = new URL(target);
    const server = createServer((client) => {
      const upstream = connect(Number(port), hostname);
      let left = 1 + Math.floor(Math.random() * bytes);
      const end = (): void => {
        client.destroy();
        upstream.destroy();
      };
      for (const socket of [client, upstream]) {
        proxy.#sockets.add(socket);
        socket.on('error', () => {}).on('close', () => (proxy.#sockets.delete(socket), end()));
      }
      client.pipe(upstream);
      upstream.on('data', (part: Buffer) => {
        const passed = proxy.isFlaky ? part.subarray(0, left) : part;
        left -= passed.length;
        client.write(passed, () => {
          if (!proxy.isFlaky || left > 0) return;
          proxy.cuts++;
          end();
        });
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new FlakyProxy(server);
    onTestFinished(() => proxy.close());
    return proxy;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
