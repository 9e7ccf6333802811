import { Name } from '@palisade/contracts';
import type { ReadTx, SqlRow, WriteTx } from '@palisade/kernel';
import type { HarnessSession } from './harness-session.ts';

/** How exactly it is known when something was last changed in a session, ms. */
const ACTIVITY_MS = 60_000;

const COLUMNS = 's.*, a.project AS subagent_project, a.name AS subagent_name, a.parent AS subagent_parent';
const TABLES = 'harness_sessions s LEFT JOIN subagents a ON a.id = s.subagent';

export async function findHarnessSession(tx: ReadTx, id: string): Promise<HarnessSession | undefined> {
  const row = await tx.sql.get(`SELECT ${COLUMNS} FROM ${TABLES} WHERE s.id = ?`, [id]);
  return row === undefined ? undefined : harnessSessionOf(row);
}

export async function insertHarnessSession(tx: WriteTx, session: HarnessSession): Promise<void> {
  await tx.sql.run(
    `INSERT INTO harness_sessions (id, principal, credential, proof_hash, workstation, harness, capabilities, subagent, parent, depth, launch, created_at, last_activity_at, closed_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)`,
    [
      session.id,
      session.principal,
      session.credential,
      session.proofHash,
      session.workstation,
      session.harness,
      JSON.stringify(session.capabilities),
      session.subagent?.id ?? null,
      session.subagent?.parent ?? null,
      session.depth,
      session.launch,
      session.createdAt,
      session.lastActivityAt,
    ],
  );
}

/** Closes a session; false when it was closed already. */
export async function closeHarnessSession(tx: WriteTx, id: string): Promise<boolean> {
  return (
    (await tx.sql.run('UPDATE harness_sessions SET closed_at = ? WHERE id = ? AND closed_at IS NULL', [
      tx.now,
      id,
    ])) === 1
  );
}

/** Closes what a credential registered: nothing else can use it any more (AC-056). */
export async function closeHarnessSessionsOf(tx: WriteTx, credential: string): Promise<void> {
  await tx.sql.run('UPDATE harness_sessions SET closed_at = ? WHERE credential = ? AND closed_at IS NULL', [
    tx.now,
    credential,
  ]);
}

/** Records that something is changed in a session, unless that was recorded within the last minute. */
export async function markActive(tx: WriteTx, { id, lastActivityAt }: HarnessSession): Promise<void> {
  if (lastActivityAt > tx.now - ACTIVITY_MS) return;
  await tx.sql.run('UPDATE harness_sessions SET last_activity_at = ? WHERE id = ?', [tx.now, id]);
}

/** Open sessions that can be used now, the last active first; `principal` is the only one whose are seen. */
export async function connectedSessions(
  tx: ReadTx,
  {
    principal,
    since,
    now,
    limit,
  }: {
    readonly principal: string | null;
    readonly since: number;
    readonly now: number;
    readonly limit: number;
  },
): Promise<{ readonly session: HarnessSession; readonly name: string; readonly kind: string }[]> {
  const rows = await tx.sql.all(
    `SELECT ${COLUMNS}, p.name AS principal_name, p.kind AS principal_kind FROM ${TABLES}
     JOIN principals p ON p.id = s.principal JOIN credentials c ON c.id = s.credential
     WHERE s.closed_at IS NULL AND s.last_activity_at >= ? AND p.disabled_at IS NULL
     AND c.revoked_at IS NULL AND (c.expires_at IS NULL OR c.expires_at > ?)
     ${principal === null ? '' : 'AND s.principal = ?'} ORDER BY s.last_activity_at DESC, s.id LIMIT ?`,
    [since, now, ...(principal === null ? [] : [principal]), limit],
  );
  return rows.map((row) => ({
    session: harnessSessionOf(row),
    name: String(row['principal_name']),
    kind: String(row['principal_kind']),
  }));
}

function harnessSessionOf(row: SqlRow): HarnessSession {
  const principal = String(row['principal']);
  return {
    id: String(row['id']),
    principal,
    credential: String(row['credential']),
    proofHash: String(row['proof_hash']),
    workstation: String(row['workstation']),
    harness: String(row['harness']),
    capabilities: Name.array().parse(JSON.parse(String(row['capabilities']))),
    subagent:
      row['subagent'] === null
        ? null
        : {
            id: String(row['subagent']),
            project: String(row['subagent_project']),
            principal,
            name: String(row['subagent_name']),
            parent: String(row['subagent_parent']),
          },
    depth: Number(row['depth']),
    launch: row['launch'] === null ? null : String(row['launch']),
    createdAt: Number(row['created_at']),
    lastActivityAt: Number(row['last_activity_at']),
    closedAt: row['closed_at'] === null ? null : Number(row['closed_at']),
  };
}
