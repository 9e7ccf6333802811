import { createPrivateKey } from 'node:crypto';
import { link, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import { ed25519Signer, generateEd25519, type Signer } from '@palisade/evidence';
import { fsyncDirectory } from '@palisade/kernel';
import type { SigningKeys } from '@palisade/runs';

/** What the database says of a key. */
export interface KeyStatus {
  isActive(keyid: string): Promise<boolean>;
  isRetired(keyid: string): Promise<boolean>;
}

/**
 * The installation's signing key: a PKCS #8 PEM file that only its owner may read, made on first use.
 * Two processes that start at once agree on one key: a finished file is linked into place, and whoever
 * comes second reads the first one's. A next key has a file named by it, because the project's databases
 * share this place: each rotates by itself, and the last one's key is everybody's. A rotation that died
 * between its commit and the exchange of the files is completed by whoever reads the key next.
 */
export function fileSigningKeys(path: string, status: KeyStatus): SigningKeys {
  const nextPath = (keyid: string): string => `${path}.next-${keyid}`;
  const adoptNext = async (keyid: string): Promise<void> => {
    await rename(nextPath(keyid), path).catch((error: unknown) => {
      // Another process was faster.
      if (codeOf(error) !== 'ENOENT') throw error;
    });
  };
  const adoptCommitted = async (): Promise<void> => {
    const prefix = basename(nextPath(''));
    const names = await readdir(dirname(path));
    for (const keyid of names
      .filter((name) => name.startsWith(prefix))
      .map((name) => name.slice(prefix.length)))
      if (await status.isActive(keyid)) await adoptNext(keyid);
  };
  return {
    async current() {
      const signer = signerOf((await readKey(path)) ?? (await createKey(path)), path);
      if (!(await status.isRetired(signer.keyid))) return signer;
      await adoptCommitted();
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
      const pem = generatePem();
      const signer = signerOf(pem, path);
      await writeWhole(nextPath(signer.keyid), pem);
      await fsyncDirectory(dirname(path));
      return signer;
    },
    adoptNext,
    dropNext: (keyid) => rm(nextPath(keyid), { force: true }),
  };
}

export function signerOf(pem: string, path: string): Signer {
  try {
    return ed25519Signer(createPrivateKey(pem).export({ format: 'der', type: 'pkcs8' }));
  } catch {
    throw new PalisadeError('integrity_mismatch', 'the signing key file is damaged', {
      next: `restore ${path} from a backup`,
    });
  }
}

async function createKey(path: string): Promise<string> {
  const pem = generatePem();
  const temporary = `${path}.${process.pid}`;
  try {
    await writeWhole(temporary, pem);
    await link(temporary, path);
    await fsyncDirectory(dirname(path));
    return pem;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return (await readKey(path)) ?? pem;
  } finally {
    await rm(temporary, { force: true });
  }
}

function generatePem(): string {
  const der = generateEd25519().privateKeyPkcs8Der;
  return createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' })
    .export({ format: 'pem', type: 'pkcs8' })
    .toString();
}

async function writeWhole(path: string, pem: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(pem);
    await file.sync();
  } finally {
    await file.close();
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
