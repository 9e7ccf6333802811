import { randomBytes } from 'node:crypto';
import type { Database, WriteTx } from '../database/database.ts';

/**
 * The random key of an installation for one purpose, 32 bytes, made by whoever asks first: every replica on a database has the same.
 * It proves what the installation itself has said, to nobody else; whoever reads the database could read all of that anyway, so it is
 * not sealed and needs no master key.
 */
export async function installationKey(database: Database, purpose: string): Promise<Buffer> {
  const find = 'SELECT bytes FROM kernel_installation_keys WHERE purpose = ?';
  const known = await database.read((tx) => tx.sql.get<{ bytes: string }>(find, [purpose]));
  const { bytes } =
    known ??
    (await database.write(
      async (tx) => {
        const made = randomBytes(32).toString('hex');
        await tx.sql.run(
          'INSERT INTO kernel_installation_keys (purpose, bytes, created_at) VALUES (?, ?, ?) ON CONFLICT (purpose) DO NOTHING',
          [purpose, made, tx.now],
        );
        return (await tx.sql.get<{ bytes: string }>(find, [purpose])) ?? { bytes: made };
      },
      { whilePaused: true },
    ));
  return Buffer.from(bytes, 'hex');
}

/** Forgets the keys of every purpose: what was proved by them is proved no more. */
export async function forgetInstallationKeys(tx: WriteTx): Promise<void> {
  await tx.sql.run('DELETE FROM kernel_installation_keys');
}
