import { PalisadeError } from '@palisade/contracts';

/*
 * The request `add-checkpoint` of C2SP tlog-witness: `old <size>`, the hashes of a consistency proof one a
 * line, an empty line, and the checkpoint.
 */

/** Media type of the size that a witness answers with when it saw another one last. */
export const LOG_SIZE_TYPE = 'text/x.tlog.size';
/** Hashes of a proof at most, as the protocol says. */
const MAX_PROOF = 63;

export interface AddCheckpoint {
  /** Size of the tree that the witness cosigned last; 0 when it never did. */
  readonly oldSize: number;
  readonly proof: readonly Buffer[];
  /** A signed note. */
  readonly checkpoint: string;
}

/** Writes a request's body. */
export function formatAddCheckpoint({ oldSize, proof, checkpoint }: AddCheckpoint): string {
  const lines = proof.map((hash) => `${hash.toString('base64')}\n`).join('');
  return `old ${oldSize}\n${lines}\n${checkpoint}`;
}

/** Reads a request's body; null when it is malformed. Trusts nothing. */
export function parseAddCheckpoint(body: string): AddCheckpoint | null {
  const blank = body.indexOf('\n\n');
  if (blank < 0) return null;
  const [first = '', ...hashes] = body.slice(0, blank).split('\n');
  const oldSize = readSize(first.startsWith('old ') ? first.slice(4) : '');
  if (oldSize === null || hashes.length > MAX_PROOF) return null;
  const proof = hashes.map((hash) => Buffer.from(hash, 'base64'));
  if (proof.some((hash, i) => hash.length !== 32 || hash.toString('base64') !== hashes[i])) return null;
  return { oldSize, proof, checkpoint: body.slice(blank + 2) };
}

/** A tree's size as the protocol writes it; null for anything else. */
export function readSize(text: string): number | null {
  const size = /^(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(size) ? size : null;
}

/** The size in a witness's answer that it saw another one last. Raises `upstream_failed` when there is none. */
export function sizeOfConflict(body: string): number {
  const size = body.endsWith('\n') ? readSize(body.slice(0, -1)) : null;
  if (size === null) throw new PalisadeError('upstream_failed', 'the witness answered with no size');
  return size;
}
