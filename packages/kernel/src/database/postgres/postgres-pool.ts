import { type CustomTypesConfig, Pool, type PoolClient, types } from 'pg';
import { pause, PATIENCE_MS } from '../patience.ts';
import { isConnectionLoss } from './postgres-errors.ts';

/** Type ids of BIGINT and NUMERIC. */
const INTEGERS: ReadonlySet<number> = new Set([20, 1700]);

/** BIGINT, and NUMERIC as sums of BIGINT have it, are numbers here; one beyond 2^53 is an error, never a wrong number. */
function parseInteger(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new RangeError('an integer is beyond 2^53 and cannot be a number');
  return value;
}

export const postgresTypes: CustomTypesConfig = {
  getTypeParser: (id: Parameters<typeof types.getTypeParser>[0], format?: 'text' | 'binary') => {
    if (format !== 'binary' && INTEGERS.has(id)) return parseInteger;
    return types.getTypeParser(id, format);
  },
};

/** A bounded pool. Connections that break, idle or in use, are an everyday event (FF-081, FF-085). */
export class PostgresPool {
  readonly #pool: Pool;

  constructor(url: string, connections: number) {
    this.#pool = new Pool({
      connectionString: url,
      max: connections,
      types: postgresTypes,
      idleTimeoutMillis: 10_000,
      connectionTimeoutMillis: PATIENCE_MS,
      keepAlive: true,
    });
    // Without a listener the loss of an idle connection would end the process; the pool replaces it.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /** A connection, waiting for a server that starts, restarts or is full. Throws the last error after the patience. */
  async acquire(until: number): Promise<PoolClient> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#pool.connect();
      } catch (error) {
        if (!isConnectionLoss(error) || performance.now() > until) throw error;
      }
      await pause(attempt, 250);
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
