import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A TCP proxy that gives each connection to the next of its targets that takes it, as a load balancer before replicas does. */
export class RoundRobinProxy {
  readonly url: string;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(server: Server, sockets: Set<Socket>) {
    this.#server = server;
    this.#sockets = sockets;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** `targets` are asked for at each connection: replicas come and go. */
  static async over(targets: () => readonly string[]): Promise<RoundRobinProxy> {
    let turn = 0;
    const sockets = new Set<Socket>();
    const server = createServer({ pauseOnConnect: true }, (client) => {
      const all = targets();
      const inTurn = all.map((_, i) => all[(turn + i) % all.length] as string);
      turn += 1;
      tie(client, inTurn, sockets);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new RoundRobinProxy(server, sockets);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }
}

/** Connects a client to the first target that accepts. */
function tie(client: Socket, [target, ...others]: readonly string[], sockets: Set<Socket>): void {
  if (target === undefined) {
    client.destroy();
    return;
  }
  const { hostname, port } = new URL(target);
  let isTied = false;
  const upstream = connect(Number(port), hostname, () => {
    isTied = true;
    client.pipe(upstream).pipe(client);
    client.resume();
  });
  upstream.on('error', () => {
    if (!isTied) tie(client, others, sockets);
  });
  for (const socket of [client, upstream]) sockets.add(socket);
  upstream.on('close', () => {
    sockets.delete(upstream);
    if (isTied) client.destroy();
  });
  client
    .on('error', () => {})
    .on('close', () => {
      sockets.delete(client);
      upstream.destroy();
    });
}
