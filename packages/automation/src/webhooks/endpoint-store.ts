import { nearest, PalisadeError } from '@palisade/contracts';
import { formatSecretRef, type ReadTx, type SqlRow, type WriteTx } from '@palisade/kernel';

/** An endpoint by its name, which means one within its project alone. */
export interface EndpointOf {
  readonly project: string;
  readonly endpoint: string;
}

/** Where messages go, as the operator set it. */
export interface Endpoint {
  readonly project: string;
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
  'project, name, url, allow_private, bearer, state, reason, key_version, former_version, former_until, created_at';

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

export async function findEndpoint(
  tx: ReadTx,
  { project, endpoint }: EndpointOf,
): Promise<Endpoint | undefined> {
  const row = await tx.sql.get(`SELECT ${COLUMNS} FROM webhook_endpoints WHERE project = ? AND name = ?`, [
    project,
    endpoint,
  ]);
  return row === undefined ? undefined : endpointOf(row);
}

/** The endpoint, or `not_found` with the nearest name. */
export async function existingEndpoint(tx: ReadTx, of: EndpointOf): Promise<Endpoint> {
  const found = await findEndpoint(tx, of);
  if (found !== undefined) return found;
  const { project, endpoint } = of;
  const meant = nearest(endpoint, await endpointNames(tx, project));
  throw new PalisadeError('not_found', `there is no webhook endpoint ${endpoint}`, {
    next: meant === undefined ? `pal webhook set ${endpoint} --url URL` : `the nearest is ${meant}`,
  });
}

export async function endpointNames(tx: ReadTx, project: string): Promise<string[]> {
  const rows = await tx.sql.all<{ name: string }>(
    'SELECT name FROM webhook_endpoints WHERE project = ? ORDER BY name',
    [project],
  );
  return rows.map(({ name }) => name);
}

export async function allEndpoints(tx: ReadTx, project: string): Promise<Endpoint[]> {
  const rows = await tx.sql.all(`SELECT ${COLUMNS} FROM webhook_endpoints WHERE project = ? ORDER BY name`, [
    project,
  ]);
  return rows.map(endpointOf);
}

export async function putEndpoint(tx: WriteTx, endpoint: Endpoint): Promise<void> {
  await tx.sql.run(
    `INSERT INTO webhook_endpoints (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (project, name) DO UPDATE SET url = excluded.url, allow_private = excluded.allow_private, bearer = excluded.bearer,
       state = excluded.state, reason = excluded.reason, key_version = excluded.key_version,
       former_version = excluded.former_version, former_until = excluded.former_until`,
    [
      endpoint.project,
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
export async function disableEndpoint(
  tx: WriteTx,
  { project, endpoint }: EndpointOf,
  reason: string,
): Promise<void> {
  await tx.sql.run(
    `UPDATE webhook_endpoints SET state = 'disabled', reason = ? WHERE project = ? AND name = ?`,
    [reason, project, endpoint],
  );
}

export async function deleteEndpoint(tx: WriteTx, { project, endpoint }: EndpointOf): Promise<boolean> {
  return (
    (await tx.sql.run('DELETE FROM webhook_endpoints WHERE project = ? AND name = ?', [
      project,
      endpoint,
    ])) === 1
  );
}

function endpointOf(row: SqlRow): Endpoint {
  const text = (column: string): string | null => (row[column] === null ? null : String(row[column]));
  const number = (column: string): number | null => (row[column] === null ? null : Number(row[column]));
  return {
    project: text('project') ?? '',
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
