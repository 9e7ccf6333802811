import { createPrivateKey } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { PalisadeError } from '@palisade/contracts';
import { ed25519Signer, generateEd25519, type Signer } from '@palisade/evidence';

/**
 * The installation's signing key: a PKCS #8 PEM file that only its owner may read, made on first use.
 * Two processes that start at once agree on one key: a finished file is linked into place, and whoever
 * comes second reads the first one's.
 */
export async function loadSigner(path: string): Promise<Signer> {
  const pem = (await readKey(path)) ?? (await createKey(path));
  try {
    return ed25519Signer(createPrivateKey(pem).export({ format: 'der', type: 'pkcs8' }));
  } catch {
    throw new PalisadeError('integrity_mismatch', 'the signing key file is damaged', {
      next: `restore ${path} from a backup`,
    });
  }
}

async function createKey(path: string): Promise<string> {
  const der = generateEd25519().privateKeyPkcs8Der;
  const pem = createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' })
    .export({ format: 'pem', type: 'pkcs8' })
    .toString();
  const temporary = `${path}.${process.pid}`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(pem);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(temporary, path);
    return pem;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    return (await readKey(path)) ?? pem;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function readKey(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
