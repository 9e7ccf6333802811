import type { DsseEnvelope } from '@palisade/contracts';
import type { Signer } from './keys/signer.ts';

/**
 * The bytes a DSSE signature covers: `DSSEv1 <len> <type> <len> <payload>` with lengths in bytes.
 * The type is part of it, so a payload cannot be passed off as another kind.
 */
export function preAuthEncoding(payloadType: string, payload: Uint8Array): Buffer {
  const type = Buffer.from(payloadType, 'utf8');
  return Buffer.concat([
    Buffer.from(`DSSEv1 ${type.length} `),
    type,
    Buffer.from(` ${payload.length} `),
    payload,
  ]);
}

/** Signs a payload into an envelope with one signature. */
export async function signEnvelope(
  payloadType: string,
  payload: Uint8Array,
  signer: Signer,
): Promise<DsseEnvelope> {
  const signature = await signer.sign(preAuthEncoding(payloadType, payload));
  return {
    payloadType,
    payload: Buffer.from(payload).toString('base64'),
    signatures: [{ keyid: signer.keyid, sig: Buffer.from(signature).toString('base64') }],
  };
}
