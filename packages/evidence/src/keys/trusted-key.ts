import type { KeyObject } from 'node:crypto';
import type { KeyUse, TrustedKey, TrustRoot } from '@palisade/contracts';
import { readPublicKey } from './public-key.ts';

/** A key found in a trust root, or why there is none. */
export type KeyDecision =
  | { readonly key: KeyObject; readonly entry: TrustedKey }
  | { readonly refused: string };

/** The key the auditor's trust root has under `keyid` for a use; its period is judged by {@link periodProblem}. */
export function trustedKey(root: TrustRoot, keyid: string, use: KeyUse): KeyDecision {
  const name = JSON.stringify(keyid);
  const entry = Object.hasOwn(root.keys, keyid) ? root.keys[keyid] : undefined;
  if (entry === undefined) return { refused: `key ${name} is not in the trust root` };
  if (!entry.uses.includes(use))
    return { refused: `key ${name} may not sign ${use === 'log' ? 'checkpoints' : 'seals'}` };
  const key = readPublicKey(Buffer.from(entry.spki_der, 'base64'), entry.alg);
  if (key === null) return { refused: `key ${name} is not the ${entry.alg} key the trust root says` };
  return { key, entry };
}

/**
 * Why a key may not have signed for `use` at an asserted time, or null (DI-252). Everything unclear
 * is a refusal. The signer asserts the time and may lie, so a revoked key is refused whatever time
 * is claimed: it would hold only for a verified time before its revocation. The key's period is
 * enforced on the asserted time, which an honest signer keeps.
 */
export function periodProblem(entry: TrustedKey, use: KeyUse, assertedAt: number): string | null {
  if (entry.status === 'revoked' || entry.revoked_at !== undefined)
    return 'is revoked, and no verified time shows that it was used before';
  const from = Date.parse(entry.not_before);
  const to = entry.not_after === undefined ? Number.POSITIVE_INFINITY : Date.parse(entry.not_after);
  if (Number.isNaN(from) || Number.isNaN(to)) return 'has a period that cannot be read';
  // A checkpoint is made at or after the seals in it, so only the end of its key's period can be judged.
  if (use === 'seal' && assertedAt < from) return `was not in use yet at ${iso(assertedAt)}`;
  if (assertedAt >= to) return `was no longer in use at ${iso(assertedAt)}`;
  return null;
}

function iso(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString();
}
