import { createPrivateKey } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import { rawEd25519, readPublicKey } from '../keys/public-key.ts';
import { ed25519Signer, generateEd25519, type Signer } from '../keys/signer.ts';
import { NOTE_KEY_TYPE } from '../log/signed-note.ts';
import { StoredWitnessState } from './stored-witness-state.ts';
import { formatVerifierKey } from './verifier-key.ts';

/** A witness's own directory: its name and secret key, and what it has seen. */
export interface WitnessDirectory {
  readonly name: string;
  readonly signer: Signer;
  /** What auditors and logs are given, as a verifier key. */
  readonly verifierKey: string;
  readonly state: StoredWitnessState;
}

const NAME = /^[^\s\p{C}+]{1,255}$/u;

/**
 * Makes a new witness in a directory that has none. Raises `already_exists`: a witness that is made anew
 * under the same name would cosign histories that the old one refused.
 */
export function createWitness(directory: string, name: string): WitnessDirectory {
  if (!NAME.test(name))
    throw new PalisadeError(
      'invalid_input',
      'the name of a witness holds no white space, control character or "+"',
    );
  if (existsSync(join(directory, 'name')))
    throw new PalisadeError('already_exists', `there is a witness in ${directory}`);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
  const { privateKeyPkcs8Der } = generateEd25519();
  const pem = createPrivateKey({ key: privateKeyPkcs8Der, format: 'der', type: 'pkcs8' }).export({
    format: 'pem',
    type: 'pkcs8',
  });
  const once = { mode: 0o600, flag: 'wx', flush: true } as const;
  writeFileSync(join(directory, 'key.pem'), pem, once);
  new StoredWitnessState(join(directory, 'state.db')).close();
  // Last: without it there is no witness, and another attempt is told which file is in the way.
  writeFileSync(join(directory, 'name'), `${name}\n`, once);
  return openWitness(directory);
}

/**
 * Opens a witness. Raises `not_initialized` when there is none, and when what it has seen is gone: a witness
 * that forgot must not go on under its name.
 */
export function openWitness(directory: string): WitnessDirectory {
  const file = (name: string): Buffer => {
    try {
      return readFileSync(join(directory, name));
    } catch (cause) {
      throw new PalisadeError(
        'not_initialized',
        `there is no witness in ${directory}: ${name} cannot be read`,
        { cause },
      );
    }
  };
  const name = file('name').toString('utf8').trim();
  file('state.db');
  const der = createPrivateKey(file('key.pem')).export({ format: 'der', type: 'pkcs8' });
  const signer = ed25519Signer(der, name);
  const key = readPublicKey(signer.publicKeySpkiDer, 'ed25519');
  if (key === null) throw new PalisadeError('internal', 'an Ed25519 key is none');
  return {
    name,
    signer,
    verifierKey: formatVerifierKey(name, rawEd25519(key), NOTE_KEY_TYPE.cosignature),
    state: new StoredWitnessState(join(directory, 'state.db')),
  };
}
