import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresServer } from '../../../../../tests/support/postgres.ts';
import { probeMigrations as migrations } from '../../../test/probe-schema.ts';
import { type Database, openDatabase } from '../../index.ts';

const MINUTES = 60_000;

const insert = (database: Database, id: string): Promise<number> =>
  database.write((tx) => tx.sql.run('INSERT INTO probe (id, n) VALUES (?, 0)', [id]));
const raise = (database: Database, id: string): Promise<number> =>
  database.write((tx) =>
    tx.sql.run('INSERT INTO probe (id, n) VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET n = probe.n + 1', [
      id,
    ]),
  );
const value = async (database: Database, id: string): Promise<number | undefined> =>
  (await database.read((tx) => tx.sql.get<{ n: number }>('SELECT n FROM probe WHERE id = ?', [id])))?.n;

describe.skipIf(process.env['PALISADE_TEST_POSTGRES'] === undefined)('PostgreSQL in trouble', () => {
  let server: PostgresServer;

  beforeAll(async () => {
    const created = await PostgresServer.create(['max_connections=20']);
    if (created === null) throw new Error('this machine has no PostgreSQL');
    server = created;
  }, 4 * MINUTES);
  afterAll(() => server.remove());

  it(
    'FF-085: crashes of the server under load reach no caller, lose nothing and repeat nothing',
    async () => {
      const database = await openDatabase({ url: server.url, migrations });
      const stopped = new AbortController();
      const loops = Array.from({ length: 6 }, async (_, i) => {
        let acknowledged = 0;
        while (!stopped.signal.aborted) {
          await raise(database, `loop-${i}`);
          acknowledged++;
        }
        return acknowledged;
      });
      const idle = database.onForeignCommit(() => undefined);
      for (let crash = 0; crash < 2; crash++) {
        const before = await value(database, 'loop-0');
        while ((await value(database, 'loop-0')) === before);
        await server.stop('immediate');
        await server.start();
      }
      const after = await value(database, 'loop-0');
      while ((await value(database, 'loop-0')) === after);
      stopped.abort();
      const acknowledged = await Promise.all(loops);
      for (const [i, times] of acknowledged.entries()) expect(await value(database, `loop-${i}`)).toBe(times);
      idle();
      await database.close();
    },
    4 * MINUTES,
  );

  it(
    'FF-081: four replicas that want more connections than there are all start and work',
    async () => {
      const replicas = await Promise.all(
        Array.from({ length: 4 }, () => openDatabase({ url: server.url, migrations, connections: 8 })),
      );
      await Promise.all(
        replicas.flatMap((replica, r) =>
          Array.from({ length: 25 }, (_, i) => insert(replica, `replica-${r}-${i}`)),
        ),
      );
      const [first] = replicas;
      const count = await first?.read((tx) =>
        tx.sql.get<{ n: number }>("SELECT COUNT(*) AS n FROM probe WHERE id LIKE 'replica-%'"),
      );
      expect(count?.n).toBe(100);
      await Promise.all(replicas.map((replica) => replica.close()));
    },
    4 * MINUTES,
  );

  it(
    'FF-082: a commit that nobody announced is found by polling',
    async () => {
      const database = await openDatabase({ url: server.url, migrations });
      const foreign = new Client({ connectionString: server.url });
      await foreign.connect();
      const calls: true[] = [];
      const stop = database.onForeignCommit(() => calls.push(true));
      for (let i = 0; calls.length < 3; i++) {
        await foreign.query('INSERT INTO probe (id, n) VALUES ($1, 0)', [`foreign-${i}`]);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      stop();
      await foreign.end();
      await database.close();
    },
    4 * MINUTES,
  );

  it.each([
    ['arrived', true],
    ['got lost', false],
  ])(
    'a commit that %s although its answer never came happens exactly once',
    async (name, forward) => {
      const proxy = await CommitCutter.start(server.url, forward);
      const database = await openDatabase({ url: proxy.url, migrations });
      let runs = 0;
      proxy.arm();
      await database.write(async (tx) => {
        runs++;
        await tx.sql.run(
          'INSERT INTO probe (id, n) VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET n = probe.n + 1',
          [`cut ${name}`],
        );
      });
      expect(proxy.cuts).toBe(1);
      expect(await value(database, `cut ${name}`)).toBe(1);
      // Another transaction may be in its way before it is cut off.
      expect(runs).toBeGreaterThanOrEqual(forward ? 1 : 2);
      await database.close();
      await proxy.close();
    },
    4 * MINUTES,
  );
});

/** Stands between client and server, and cuts the connection at one COMMIT: after passing it on, or instead. */
class CommitCutter {
  cuts = 0;
  readonly url: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #armed = false;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  static async start(target: string, forward: boolean): Promise<CommitCutter> {
    const { port } = new URL(target);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const url = new URL(target);
    url.port = String(address.port);
    const cutter = new CommitCutter(server, url.href);
    server.on('connection', (client) => cutter.#join(client, Number(port), forward));
    return cutter;
  }

  arm(): void {
    this.#armed = true;
  }

  #join(client: Socket, port: number, forward: boolean): void {
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
    }
    upstream.on('data', (bytes) => client.write(bytes));
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.end());
    client.on('data', (bytes) => {
      if (!this.#armed || !bytes.includes('COMMIT\0')) {
        upstream.write(bytes);
        return;
      }
      this.#armed = false;
      this.cuts++;
      client.destroy();
      if (forward) upstream.end(bytes);
      else upstream.destroy();
    });
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
