import { nearest, PalisadeError } from '@palisade/contracts';
import { formatSecretRef, type ReadTx, type SqlRow, type WriteTx } from '@palisade/kernel';

/** Where messages go, as the operator set it. */
export interface Endpoint {
  readonly name: string;
  readonly url: string;
  readonly allowPrivate: boolean;
  /** Reference of a stored secret, or null. */
  readonly bearer: string | null;
  readonly state: 'enabled' | 'disabled';
  readonly reason: string | null;
  readonly keyVersion: number;
  readonly formerVersion: number | null;
  readonly formerUntil: number | null;
  readonly createdAt: number;
}

const COLUMNS =
  'name, url, allow_private, bearer, state, reason, key_version, former_version, former_until, created_at';

/** Name of the stored secret that holds an endpoint's keys, one a version. */
export function keyName(endpoint: string): string {
  return `webhook:${endpoint}`;
}

/** References of the keys that sign now, the newest first. */
export function keyRefs(endpoint: Endpoint, now: number): string[] {
  const { keyVersion, formerVersion, formerUntil } = endpoint;
  const isFormerUsed = formerVersion !== null && formerUntil !== null && now < formerUntil;
  return [keyVersion, ...(isFormerUsed ? [formerVersion] : [])].map((version) =>
    formatSecretRef({ name: keyName(endpoint.name), version }),
  );
}

export async function findEndpoint(tx: ReadTx, name: string): Promise<Endpoint | undefined> {
  const row = await tx.sql.get(`SELECT ${COLUMNS} FROM webhook_endpoints WHERE name = ?`, [name]);
  return row === undefined ? undefined : endpointOf(row);
}

/** The endpoint, or `not_found` with the nearest name. */
export async function existingEndpoint(tx: ReadTx, name: string): Promise<Endpoint> {
  const found = await findEndpoint(tx, name);
  if (found !== undefined) return found;
  const meant = nearest(name, await endpointNames(tx));
  throw new PalisadeError('not_found', `there is no webhook endpoint ${name}`, {
    next: meant === undefined ? `pal webhook set ${name} --url URL` : `the nearest is ${meant}`,
  });
}

export async function endpointNames(tx: ReadTx): Promise<string[]> {
  const rows = await tx.sql.all<{ name: string }>('SELECT name FROM webhook_endpoints ORDER BY name');
  return rows.map(({ name }) => name);
}

export async function allEndpoints(tx: ReadTx): Promise<Endpoint[]> {
  return (await tx.sql.all(`SELECT ${COLUMNS} FROM webhook_endpoints ORDER BY name`)).map(endpointOf);
}

export async function putEndpoint(tx: WriteTx, endpoint: Endpoint): Promise<void> {
  await tx.sql.run(
    `INSERT INTO webhook_endpoints (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET url = excluded.url, allow_private = excluded.allow_private, bearer = excluded.bearer,
       state = excluded.state, reason = excluded.reason, key_version = excluded.key_version,
       former_version = excluded.former_version, former_until = excluded.former_until`,
    [
      endpoint.name,
      endpoint.url,
      endpoint.allowPrivate ? 1 : 0,
      endpoint.bearer,
      endpoint.state,
      endpoint.reason,
      endpoint.keyVersion,
      endpoint.formerVersion,
      endpoint.formerUntil,
      endpoint.createdAt,
    ],
  );
}

/** Stops sending to an endpoint until somebody sets it again. */
export async function disableEndpoint(tx: WriteTx, name: string, reason: string): Promise<void> {
  await tx.sql.run(`UPDATE webhook_endpoints SET state = 'disabled', reason = ? WHERE name = ?`, [
    reason,
    name,
  ]);
}

export async function deleteEndpoint(tx: WriteTx, name: string): Promise<boolean> {
  return (await tx.sql.run('DELETE FROM webhook_endpoints WHERE name = ?', [name])) === 1;
}

function endpointOf(row: SqlRow): Endpoint {
  const text = (column: string): string | null => (row[column] === null ? null : String(row[column]));
  const number = (column: string): number | null => (row[column] === null ? null : Number(row[column]));
  return {
    name: text('name') ?? '',
    url: text('url') ?? '',
    allowPrivate: row['allow_private'] === 1,
    bearer: text('bearer'),
    state: row['state'] === 'enabled' ? 'enabled' : 'disabled',
    reason: text('reason'),
    keyVersion: number('key_version') ?? 0,
    formerVersion: number('former_version'),
    formerUntil: number('former_until'),
    createdAt: number('created_at') ?? 0,
  };
}
