import type { Check, EvidenceBundle, TrustRoot } from '@palisade/contracts';
import { preAuthEncoding } from '../dsse.ts';
import { isSignatureOf } from '../keys/public-key.ts';
import { periodProblem, type SigningTime, trustedKey } from '../keys/trusted-key.ts';

/** The seal's signature by a key of the auditor's trust root (DI-246, DI-252). `time` is null when the statement is unreadable. */
export function checkSignature(
  bundle: EvidenceBundle,
  trustRoot: TrustRoot | null,
  time: SigningTime | null,
): Check {
  const name = 'signature';
  if (trustRoot === null)
    return { name, ok: 'n/a', detail: 'unverifiable — no trust anchor (public key) available' };
  const [signature] = bundle.seal.signatures;
  if (signature === undefined) return { name, ok: false, detail: 'no signature on the seal' };
  if (time === null) return { name, ok: false, detail: 'the seal states no time to judge its key by' };
  const found = trustedKey(trustRoot, signature.keyid, 'seal');
  if ('refused' in found) return { name, ok: false, detail: found.refused };
  const keyName = JSON.stringify(signature.keyid);
  const { alg } = found.entry;
  const signed = preAuthEncoding(bundle.seal.payloadType, Buffer.from(bundle.seal.payload, 'base64'));
  if (!isSignatureOf(found.key, alg, signed, Buffer.from(signature.sig, 'base64')))
    return { name, ok: false, detail: `the signature is not by key ${keyName}` };
  const problem = periodProblem(found.entry, 'seal', time);
  return problem === null
    ? { name, ok: true, detail: `key ${signature.keyid} (${alg})` }
    : { name, ok: false, detail: `key ${keyName} ${problem}` };
}
