import type { Signer } from '../keys/signer.ts';
import { isSignatureOf } from '../keys/public-key.ts';
import { type Checkpoint, parseCheckpoint } from '../log/checkpoint.ts';
import { NOTE_KEY_TYPE, type SignedNote } from '../log/signed-note.ts';
import { emptyRoot } from '../merkle/merkle-hash.ts';
import { verifyConsistency } from '../merkle/proof.ts';
import { LOG_SIZE_TYPE, parseAddCheckpoint } from './add-checkpoint.ts';
import { cosignCheckpoint } from './cosignature.ts';
import type { VerifierKey } from './verifier-key.ts';

/** The head of a log that a witness cosigned last. */
export type SeenHead = Pick<Checkpoint, 'size' | 'root'>;

/** What a witness remembers. Everything it promises rests on `advance` being durable and one at a time. */
export interface WitnessState {
  /** Keys of a log that is watched; empty for one that is not. */
  keysOf(origin: string): readonly VerifierKey[];
  head(origin: string): SeenHead | null;
  /** Replaces the head if it is still `from`, durably before it returns; false when it is not. */
  advance(origin: string, from: SeenHead | null, to: Checkpoint, note: string): boolean;
}

export interface WitnessOptions {
  /** Name under which it cosigns. */
  readonly name: string;
  /** An Ed25519 key that is used for nothing else: a cosignature does not bind the name. */
  readonly signer: Signer;
  readonly state: WitnessState;
  /** Unix ms. */
  readonly now: () => number;
  /** Told of signed checkpoints that do not fit what was seen: they may prove that a log tells two histories. */
  readonly onConflict?: (origin: string, note: string) => void;
}

/** An answer over HTTP. */
export interface WitnessReply {
  readonly status: 200 | 400 | 403 | 404 | 409 | 422;
  readonly type: string;
  readonly body: string;
}

const PLAIN = 'text/plain; charset=utf-8';

/**
 * A witness of transparency logs (C2SP tlog-witness): it cosigns a checkpoint of a log it watches only when
 * the log's key signed it and a proof shows that everything it cosigned before is still there. What it has
 * seen is durable before a cosignature is given out, so that no crash makes it forget and cosign a second
 * history.
 */
export class Witness {
  readonly #options: WitnessOptions;

  constructor(options: WitnessOptions) {
    this.#options = options;
  }

  /** Answers a request `add-checkpoint`. Bytes are hostile. */
  async addCheckpoint(body: string): Promise<WitnessReply> {
    const { state, name, signer, now, onConflict } = this.#options;
    const request = parseAddCheckpoint(body);
    const parsed = request === null ? null : parseCheckpoint(request.checkpoint);
    if (request === null || parsed === null) return reply(400, 'the request is malformed');
    const { checkpoint, note } = parsed;
    const keys = state.keysOf(checkpoint.origin);
    if (keys.length === 0) return reply(404, 'this log is not watched here');
    if (!isSigned(note, keys)) return reply(403, "the checkpoint is not signed by the log's key");
    if (request.oldSize > checkpoint.size) return reply(400, 'the old size is above the size');
    const seen = state.head(checkpoint.origin);
    if (request.oldSize !== (seen?.size ?? 0)) return sizeReply(seen);
    if (!extendsHead(seen, checkpoint, request.proof)) {
      onConflict?.(checkpoint.origin, request.checkpoint);
      const isOther = seen !== null && seen.size === checkpoint.size && request.proof.length === 0;
      return isOther
        ? reply(409, 'another tree of this size was seen')
        : reply(422, 'the proof does not hold');
    }
    // Whoever was faster has moved the head, and the proof is not from it.
    if (!state.advance(checkpoint.origin, seen, checkpoint, request.checkpoint))
      return sizeReply(state.head(checkpoint.origin));
    const line = await cosignCheckpoint(note.text, name, signer, Math.floor(now() / 1_000));
    return { status: 200, type: PLAIN, body: line };
  }
}

function isSigned(note: SignedNote, keys: readonly VerifierKey[]): boolean {
  const text = Buffer.from(note.text, 'utf8');
  return keys.some(
    (key) =>
      key.type === NOTE_KEY_TYPE.ed25519 &&
      note.signatures.some(
        (line) =>
          line.name === key.name &&
          line.keyId === key.keyId &&
          isSignatureOf(key.key, 'ed25519', text, line.signature),
      ),
  );
}

function extendsHead(seen: SeenHead | null, checkpoint: Checkpoint, proof: readonly Buffer[]): boolean {
  const { size, root } = checkpoint;
  if (seen === null || seen.size === 0) return proof.length === 0 && (size > 0 || root.equals(emptyRoot()));
  return verifyConsistency(seen.size, seen.root, size, root, proof);
}

function sizeReply(seen: SeenHead | null): WitnessReply {
  return { status: 409, type: LOG_SIZE_TYPE, body: `${seen?.size ?? 0}\n` };
}

function reply(status: WitnessReply['status'], why: string): WitnessReply {
  return { status, type: PLAIN, body: `${why}\n` };
}
