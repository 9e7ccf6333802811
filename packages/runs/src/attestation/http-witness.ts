import { type CheckpointWitness, PalisadeError, type WitnessSubmission } from '@palisade/contracts';
import {
  cosignatureIn,
  formatAddCheckpoint,
  LOG_SIZE_TYPE,
  parseVerifierKey,
  sizeOfConflict,
} from '@palisade/evidence';
import type { EgressClient } from '@palisade/kernel';

export interface HttpWitnessOptions {
  /** Its public key as a verifier key; a cosignature by any other is none. */
  readonly verifierKey: string;
  /** Its submission prefix; `/add-checkpoint` is put behind it. */
  readonly url: string;
  readonly client: EgressClient;
}

const TIMEOUT_MS = 10_000;
/** What a witness means that does not know whom it answers. */
const UNKNOWN: Readonly<Record<number, string>> = {
  403: 'it does not know the key of this log: after a rotation it needs the trust root again',
  404: 'it does not watch this log: it needs the trust root',
};
/** Some lines of signatures. */
const MAX_REPLY_BYTES = 65_536;

/** A witness over HTTP (C2SP tlog-witness). Its cosignatures prove themselves, and requests hold no secret, so the wire may be clear. */
export function httpWitness({ verifierKey, url, client }: HttpWitnessOptions): CheckpointWitness {
  const witness = parseVerifierKey(verifierKey);
  const submit = async (submission: WitnessSubmission, oldSize: number) => {
    const proof = oldSize >= submission.size ? [] : await submission.consistencyFrom(oldSize);
    const body = formatAddCheckpoint({
      oldSize,
      proof: proof.map((hash) => Buffer.from(hash)),
      checkpoint: submission.checkpoint,
    });
    const reply = await client.request({
      url: `${url.replace(/\/$/, '')}/add-checkpoint`,
      method: 'POST',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: Buffer.from(body, 'utf8'),
      timeoutMs: TIMEOUT_MS,
      maxReplyBytes: MAX_REPLY_BYTES,
    });
    return { status: reply.status, type: reply.headers['content-type'], text: reply.body.toString('utf8') };
  };
  return {
    name: witness.name,
    verifierKey,
    async cosign(submission) {
      let reply = await submit(submission, submission.lastSize);
      if (reply.status === 409 && reply.type === LOG_SIZE_TYPE) {
        const seen = sizeOfConflict(reply.text);
        if (seen > submission.size)
          throw refused(witness.name, `it has seen ${seen} leaves, and this log has ${submission.size}`);
        reply = await submit(submission, seen);
      }
      if (reply.status === 409 || reply.status === 422)
        throw refused(witness.name, `what it has seen is not part of this log (status ${reply.status})`);
      if (reply.status !== 200)
        throw new PalisadeError('upstream_failed', `witness ${witness.name} answered ${reply.status}`, {
          why: UNKNOWN[reply.status] ?? 'it gives no reason',
        });
      const line = cosignatureIn(reply.text, submission.checkpoint, witness);
      if (line === null)
        throw new PalisadeError('upstream_failed', `witness ${witness.name} gave no cosignature by its key`);
      return line;
    },
  };
}

function refused(name: string, why: string): PalisadeError {
  return new PalisadeError('integrity_mismatch', `witness ${name} refused the log`, {
    why,
    next: 'find out whether the log was set back, by a restored backup for one, before anybody else does',
  });
}
