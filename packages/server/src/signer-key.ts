import { createPrivateKey } from 'node:crypto';
import { link, open, readFile, rename, rm } from 'node:fs/promises';
import { PalisadeError } from '@palisade/contracts';
import { ed25519Signer, generateEd25519, type Signer } from '@palisade/evidence';
import type { SigningKeys } from '@palisade/runs';

/** What the database says of a key. */
export interface KeyStatus {
  isActive(keyid: string): Promise<boolean>;
  isRetired(keyid: string): Promise<boolean>;
}

/**
 * The installation's signing key: a PKCS #8 PEM file that only its owner may read, made on first use.
 * Two processes that start at once agree on one key: a finished file is linked into place, and whoever
 * comes second reads the first one's. A rotation that died between its commit and the exchange of the
 * files is completed by whoever reads the key next.
 */
export function fileSigningKeys(path: string, status: KeyStatus): SigningKeys {
  const nextPath = `${path}.next`;
  const adoptNext = async (): Promise<void> => {
    await rename(nextPath, path).catch((error: unknown) => {
      // Another process was faster.
      if (codeOf(error) !== 'ENOENT') throw error;
    });
  };
  return {
    async current() {
      const signer = signerOf((await readKey(path)) ?? (await createKey(path)), path);
      if (!(await status.isRetired(signer.keyid))) return signer;
      const pem = await readKey(nextPath);
      if (pem !== null && (await status.isActive(signerOf(pem, nextPath).keyid))) await adoptNext();
      // Whoever adopted it, the file is the new key's by now.
      const now = signerOf((await readKey(path)) ?? '', path);
      if (await status.isRetired(now.keyid))
        throw new PalisadeError('integrity_mismatch', `the signing key ${now.keyid} has been retired`, {
          why: `${path} is older than the database`,
          next: `restore ${path} from the newest backup`,
        });
      return now;
    },
    async makeNext() {
      await rm(nextPath, { force: true });
      return signerOf(await createKey(nextPath), nextPath);
    },
    adoptNext,
    dropNext: () => rm(nextPath, { force: true }),
  };
}

function signerOf(pem: string, path: string): Signer {
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
    if (codeOf(error) !== 'EEXIST') throw error;
    return (await readKey(path)) ?? pem;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function readKey(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
