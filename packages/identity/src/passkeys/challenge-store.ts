import { newId } from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';

/** AC-047. */
const CHALLENGE_MS = 300_000;

/** Keeps a challenge for one try, of a person who registers a passkey or, with null, of whoever signs in; forgets those that expired. */
export async function keepChallenge(
  tx: WriteTx,
  principal: string | null,
  challenge: string,
): Promise<string> {
  await tx.sql.run('DELETE FROM passkey_challenges WHERE expires_at <= ?', [tx.now]);
  const id = newId('pkc', tx.now);
  await tx.sql.run(
    'INSERT INTO passkey_challenges (id, principal, challenge, expires_at) VALUES (?, ?, ?, ?)',
    [id, principal, challenge, tx.now + CHALLENGE_MS],
  );
  return id;
}

/** Takes a challenge, so that no second try has it; null when it is not there, not theirs or has expired. */
export async function takeChallenge(
  tx: WriteTx,
  id: string,
  principal: string | null,
): Promise<string | null> {
  const row = await tx.sql.get<{ principal: string | null; challenge: string; expires_at: number }>(
    'SELECT principal, challenge, expires_at FROM passkey_challenges WHERE id = ?',
    [id],
  );
  if (row === undefined || row.principal !== principal) return null;
  const taken = await tx.sql.run('DELETE FROM passkey_challenges WHERE id = ?', [id]);
  return taken === 1 && tx.now < row.expires_at ? row.challenge : null;
}
