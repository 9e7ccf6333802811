import { readFileSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import {
  errorCatalogue,
  foreignFault,
  isPalisadeError,
  PalisadeError,
  toPalisadeError,
  type TrustRoot,
} from '@palisade/contracts';
import { rawEd25519, readPublicKey } from '../keys/public-key.ts';
import { parseTrustRoot } from '../keys/trust-root.ts';
import { NOTE_KEY_TYPE } from '../log/signed-note.ts';
import type { TextOut } from '../verify-command.ts';
import { formatVerifierKey, parseVerifierKey, type VerifierKey } from './verifier-key.ts';
import { createWitness, openWitness } from './witness-directory.ts';
import { witnessServer } from './witness-server.ts';
import { Witness } from './witness.ts';

const USAGE = `usage: palisade-witness init DIR NAME
       palisade-witness watch DIR TRUST_ROOT
       palisade-witness serve DIR [--listen HOST:PORT]
       palisade-witness show DIR

A witness watches the logs of others: it cosigns a checkpoint when everything that it cosigned before is
still in it (C2SP tlog-witness). Whoever rewrites history then needs the witness's consent.

  init   makes a witness under a name of yours, such as witness.example.org/w1, and prints its public key
  watch  watches the log of an installation by the keys in its trust root; again after it replaced its key
  serve  answers POST /add-checkpoint, on 127.0.0.1:7380 unless told otherwise; put TLS in front of it
  show   its public key, and what it has seen

DIR holds a secret key and everything the witness has seen. Never go on from an old copy of it.

exit  0 done, 1 failed, 2 wrong usage or input
`;

const LISTEN = '127.0.0.1:7380';
/** A trust root is far smaller. */
const MAX_TRUST_ROOT_BYTES = 4 * 1024 * 1024;

/** What the program runs in. */
export interface WitnessSurroundings {
  readonly out: TextOut;
  readonly err: TextOut;
  /** Ends `serve`. */
  readonly stop: AbortSignal;
}

/** The program `palisade-witness`: prints what it did or one line of error, gives the exit status. */
export async function witnessCommand(args: readonly string[], at: WitnessSurroundings): Promise<number> {
  try {
    return await run(args, at);
  } catch (error) {
    const ours = toPalisadeError(error);
    const why = ours.why === undefined ? '' : `: ${ours.why}`;
    at.err.write(`palisade-witness: ${ours.message}${why} (${ours.code})\n`);
    return errorCatalogue[ours.code].exit === 2 ? 2 : 1;
  }
}

async function run(args: readonly string[], at: WitnessSurroundings): Promise<number> {
  const { values, positionals } = parse(args);
  if (values.help === true) {
    at.out.write(USAGE);
    return 0;
  }
  const [verb, directory, operand, ...more] = positionals;
  if (directory === undefined || more.length > 0) throw usage('give a verb and a directory');
  if ((verb === 'init' || verb === 'watch') !== (operand !== undefined))
    throw usage(`${verb} takes ${operand === undefined ? 'more' : 'less'} than that`);
  if (values.listen !== undefined && verb !== 'serve') throw usage('only serve listens');
  switch (verb) {
    case 'init': {
      const { verifierKey, state } = createWitness(directory, operand ?? '');
      state.close();
      at.out.write(`${verifierKey}\n`);
      return 0;
    }
    case 'watch':
      return watch(directory, operand ?? '', at);
    case 'show':
      return show(directory, at);
    case 'serve':
      return serve(directory, values.listen ?? LISTEN, at);
    default:
      throw usage(`there is no verb ${JSON.stringify(verb)}`);
  }
}

function watch(directory: string, file: string, { out }: WitnessSurroundings): number {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_TRUST_ROOT_BYTES)
    throw new PalisadeError('too_large', `${JSON.stringify(file)} is too large for a trust root`);
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    throw new PalisadeError('not_found', `${JSON.stringify(file)} cannot be read`, { cause });
  }
  const root = parseTrustRoot(bytes);
  const keys = logKeys(root);
  if (keys.length === 0) throw new PalisadeError('invalid_input', 'the trust root has no key for a log');
  const { state } = openWitness(directory);
  state.watch(root.log_origin, keys);
  state.close();
  out.write(`watching ${root.log_origin} by ${keys.length} key(s)\n`);
  return 0;
}

/** Keys that sign a trust root's log now: one that is revoked signs nothing for this witness. */
function logKeys(root: TrustRoot): VerifierKey[] {
  return Object.values(root.keys).flatMap(({ alg, uses, spki_der, status, revoked_at }) => {
    if (alg !== 'ed25519' || !uses.includes('log') || status !== 'active' || revoked_at !== undefined)
      return [];
    const key = readPublicKey(Buffer.from(spki_der, 'base64'), 'ed25519');
    if (key === null) return [];
    return [parseVerifierKey(formatVerifierKey(root.log_origin, rawEd25519(key), NOTE_KEY_TYPE.ed25519))];
  });
}

function show(directory: string, { out }: WitnessSurroundings): number {
  const { verifierKey, state } = openWitness(directory);
  out.write(`${verifierKey}\n`);
  for (const { origin, keys, size } of state.logs()) out.write(`${size}\t${origin}\t${keys} key(s)\n`);
  state.close();
  return 0;
}

async function serve(
  directory: string,
  listen: string,
  { out, err, stop }: WitnessSurroundings,
): Promise<number> {
  const place = /^(?:\[([0-9a-fA-F:.]+)\]|([^:\s]+)):(\d{1,5})$/.exec(listen);
  if (place === null) throw usage('--listen takes HOST:PORT');
  const { name, signer, state } = openWitness(directory);
  const witness = new Witness({
    name,
    signer,
    state,
    now: () => Date.now(),
    onConflict: (origin, note) =>
      err.write(
        `palisade-witness: a signed checkpoint of ${origin} does not fit what was seen: ${JSON.stringify(note)}\n`,
      ),
  });
  const server = witnessServer(witness, (error) =>
    err.write(`palisade-witness: ${isPalisadeError(error) ? error.message : foreignFault(error)}\n`),
  );
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(Number(place[3]), place[1] ?? place[2], resolve);
    });
    const { address, port, family } = server.address() as AddressInfo;
    out.write(`${name} listens on http://${family === 'IPv6' ? `[${address}]` : address}:${port}\n`);
    await new Promise<void>((resolve) => {
      if (stop.aborted) resolve();
      stop.addEventListener('abort', () => resolve(), { once: true });
    });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    state.close();
  }
  return 0;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { listen: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
  } catch {
    throw usage('an option is unknown or lacks its value');
  }
}

function usage(why: string): PalisadeError {
  return new PalisadeError('invalid_input', 'wrong usage', { why: `${why}; see palisade-witness --help` });
}
