import { HumanRole, PalisadeError, PrincipalKind } from '@palisade/contracts';
import type { ReadTx, SqlRow, SqlValue, WriteTx } from '@palisade/kernel';
import { nameKey, type Principal } from './principal.ts';

const COLUMNS = 'id, name, kind, role, disabled_at, revision, created_at';

export async function findPrincipal(tx: ReadTx, id: string): Promise<Principal | undefined> {
  const row = await tx.sql.get(`SELECT ${COLUMNS} FROM principals WHERE id = ?`, [id]);
  return row === undefined ? undefined : principalOf(row);
}

/** The principal, or `not_found`. */
export async function existingPrincipal(tx: ReadTx, id: string): Promise<Principal> {
  const found = await findPrincipal(tx, id);
  if (found !== undefined) return found;
  throw new PalisadeError('not_found', `there is no principal ${id}`, {
    next: 'list the principals to see their ids',
  });
}

export async function principalByName(tx: ReadTx, name: string): Promise<Principal | undefined> {
  const row = await tx.sql.get(`SELECT ${COLUMNS} FROM principals WHERE name_key = ?`, [nameKey(name)]);
  return row === undefined ? undefined : principalOf(row);
}

/** In the order they came, after the id `after`. */
export async function principals(
  tx: ReadTx,
  filter: {
    readonly kind?: PrincipalKind | undefined;
    readonly after?: string | undefined;
    readonly limit: number;
  },
): Promise<Principal[]> {
  const params: SqlValue[] = [filter.after ?? ''];
  if (filter.kind !== undefined) params.push(filter.kind);
  const rows = await tx.sql.all(
    `SELECT ${COLUMNS} FROM principals WHERE id > ?${filter.kind === undefined ? '' : ' AND kind = ?'} ORDER BY id LIMIT ?`,
    [...params, filter.limit],
  );
  return rows.map((row) => principalOf(row));
}

/** Adds a principal. Raises `already_exists` when its name is taken, in whatever case. */
export async function insertPrincipal(
  tx: WriteTx,
  principal: Pick<Principal, 'id' | 'name' | 'kind' | 'role'>,
): Promise<Principal> {
  const { id, name, kind, role } = principal;
  const added = await tx.sql.run(
    `INSERT INTO principals (id, name, name_key, kind, role, disabled_at, revision, created_at)
     VALUES (?, ?, ?, ?, ?, NULL, 1, ?) ON CONFLICT (name_key) DO NOTHING`,
    [id, name, nameKey(name), kind, role, tx.now],
  );
  if (added === 0)
    throw new PalisadeError('already_exists', `the name ${name} is taken`, {
      next:
        kind === 'human'
          ? 'choose another name'
          : 'choose another name, or for the one that there is: pal credential issue, pal credential rotate',
    });
  return { id, name, kind, role, disabledAt: null, revision: 1, createdAt: tx.now };
}

/** Sets role and access, and counts the revision; the caller has compared it. */
export async function updateAccess(
  tx: WriteTx,
  principal: Principal,
  to: { readonly role: HumanRole | null; readonly enabled: boolean },
): Promise<Principal> {
  const disabledAt = to.enabled ? null : (principal.disabledAt ?? tx.now);
  const revision = principal.revision + 1;
  await tx.sql.run(
    'UPDATE principals SET role = ?, disabled_at = ?, revision = ? WHERE id = ? AND revision = ?',
    [to.role, disabledAt, revision, principal.id, principal.revision],
  );
  return { ...principal, role: to.role, disabledAt, revision };
}

/** How many people can administer now. */
export async function countActiveAdmins(tx: ReadTx): Promise<number> {
  const row = await tx.sql.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM principals WHERE kind = 'human' AND role = 'admin' AND disabled_at IS NULL`,
  );
  return row?.n ?? 0;
}

/** The account of a person, or `not_found`. */
export async function existingOperator(tx: ReadTx, id: string): Promise<Principal> {
  const found = await findPrincipal(tx, id);
  if (found?.kind === 'human') return found;
  throw new PalisadeError('not_found', `there is no operator ${id}`, {
    next: 'list the operators to see their ids',
  });
}

/** The columns of `principals AS p` in a statement that joins it, for {@link principalOf} with the prefix `p_`. */
export const JOINED_COLUMNS = COLUMNS.split(', ')
  .map((column) => `p.${column} AS p_${column}`)
  .join(', ');

/** A principal of a row; `prefix` is what its columns are called with. */
export function principalOf(row: SqlRow, prefix: '' | 'p_' = ''): Principal {
  const column = (name: string): SqlValue | undefined => row[prefix + name];
  const [role, disabledAt] = [column('role'), column('disabled_at')];
  return {
    id: String(column('id')),
    name: String(column('name')),
    kind: PrincipalKind.parse(column('kind')),
    role: role === null ? null : HumanRole.parse(role),
    disabledAt: disabledAt === null ? null : Number(disabledAt),
    revision: Number(column('revision')),
    createdAt: Number(column('created_at')),
  };
}
