import { randomBytes } from 'node:crypto';
import { Client, type PoolClient } from 'pg';
import { pause } from '../patience.ts';
import { SHOWN } from './postgres-listeners.ts';
import type { PostgresPool } from './postgres-pool.ts';

const CHANNEL = 'palisade_commit';

/** Underneath the notifications: they are lost at reconnects, and poolers drop them silently (FF-082). */
const POLL_MS = 500;

/** Own commits are announced together, at most this often: a notifying commit takes a server-wide lock. */
const ANNOUNCE_MS = 10;

/**
 * Tells listeners that some other connection committed. The notification is sent after the commit,
 * by itself, without waiting for its own fsync. The poll compares the server's snapshot, which any
 * commit changes; it calls without cause rather than not at all.
 */
export class PostgresWakeups {
  readonly #pool: PostgresPool;
  readonly #url: string;
  readonly #onFault: (error: unknown) => void;
  readonly #listeners = new Set<() => void>();
  readonly #self = randomBytes(8).toString('hex');
  #announcement: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #client: Client | undefined;
  #snapshot: string | undefined;
  #polling = false;
  #closed = false;

  constructor(pool: PostgresPool, url: string, onFault: (error: unknown) => void) {
    this.#pool = pool;
    this.#url = url;
    this.#onFault = onFault;
  }

  listen(listener: () => void): () => void {
    const entry = (): void => listener();
    this.#listeners.add(entry);
    if (this.#poll === undefined) {
      this.#poll = setInterval(() => void this.#look(), POLL_MS);
      this.#poll.unref();
      void this.#subscribe();
    }
    return () => {
      this.#listeners.delete(entry);
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  /** Called after each commit of ours that changed something. */
  announce(): void {
    if (this.#closed) return;
    this.#announcement ??= setTimeout(() => {
      this.#announcement = undefined;
      void this.#notify();
    }, ANNOUNCE_MS).unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    this.#stop();
    if (this.#announcement === undefined) return;
    clearTimeout(this.#announcement);
    await this.#notify();
  }

  #stop(): void {
    clearInterval(this.#poll);
    this.#poll = undefined;
    this.#snapshot = undefined;
    const client = this.#client;
    this.#client = undefined;
    void client?.end().catch(() => undefined);
  }

  #call(): void {
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (error) {
        this.#onFault(error);
      }
    }
  }

  /** A lost notification costs a poll period, so its failure is no error. */
  async #notify(): Promise<void> {
    await this.#withClient((client) =>
      client.query(
        `BEGIN; SET LOCAL synchronous_commit = off; SELECT pg_notify('${CHANNEL}', '${this.#self}'); COMMIT`,
      ),
    );
  }

  async #look(): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    const result = await this.#withClient((client) =>
      client.query<{ snapshot: string }>('SELECT pg_current_snapshot()::text AS snapshot'),
    );
    this.#polling = false;
    const snapshot = result?.rows[0]?.snapshot;
    if (snapshot === undefined || snapshot === this.#snapshot) return;
    const first = this.#snapshot === undefined;
    this.#snapshot = snapshot;
    if (!first) this.#call();
  }

  async #withClient<T>(use: (client: PoolClient) => Promise<T>): Promise<T | undefined> {
    let client: PoolClient | undefined;
    let broken = true;
    try {
      client = await this.#pool.acquire(performance.now());
      const result = await use(client);
      broken = false;
      return result;
    } catch {
      return undefined;
    } finally {
      client?.release(broken);
    }
  }

  /** Keeps one connection listening while somebody wants to know; after a loss it calls once, since anything may have been missed. */
  async #subscribe(): Promise<void> {
    for (let attempt = 0; this.#listeners.size > 0; attempt++) {
      const client = new Client({ connectionString: this.#url, keepAlive: true });
      const ended = new Promise<void>((resolve) => client.once('end', resolve));
      client.on('error', () => undefined);
      client.on('notification', ({ payload }) => {
        if (payload !== this.#self) this.#call();
      });
      try {
        await client.connect();
        await client.query(`SELECT set_config('application_name', ${SHOWN}, false)`);
        await client.query(`LISTEN ${CHANNEL}`);
        if (this.#listeners.size === 0) {
          await client.end();
          return;
        }
        this.#client = client;
        attempt = 0;
        this.#call();
        await ended;
      } catch {
        await client.end().catch(() => undefined);
      }
      if (this.#poll === undefined) return;
      await pause(attempt, 2_000);
    }
  }
}
