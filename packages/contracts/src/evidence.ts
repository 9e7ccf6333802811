import * as z from 'zod';
import { Hash, Millis } from './schema.ts';

const Base64 = z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/, 'must be base64');
const Hex64 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits');

/** One ledger entry as exported. `data` is a JSON value; verifiers recompute its canonical form. */
export const BundleEntry = z.strictObject({
  seq: z.int().nonnegative(),
  type: z.string(),
  at: Millis,
  data: z.record(z.string(), z.json()),
  hash: Hex64,
});
export type BundleEntry = z.infer<typeof BundleEntry>;

/** Dead Simple Signing Envelope, version 1 of that protocol, one signature. */
export const DsseEnvelope = z.strictObject({
  payloadType: z.string(),
  payload: Base64,
  signatures: z.array(z.strictObject({ keyid: z.string(), sig: Base64 })).length(1),
});
export type DsseEnvelope = z.infer<typeof DsseEnvelope>;

/** Where the envelope stands in the installation's log: proof of inclusion in the signed checkpoint. */
export const LogInclusion = z.strictObject({
  leaf_index: z.int().nonnegative(),
  tree_size: z.int().positive(),
  proof: z.array(Base64),
  checkpoint: z.string(),
});
export type LogInclusion = z.infer<typeof LogInclusion>;

/** Untrusted display data: what the items looked like. Verifiers never rely on it. */
export const BundleItem = z.strictObject({
  id: z.string(),
  status: z.string(),
  attempts: z.int().nonnegative(),
  result_ref: Hash.optional(),
});

/** Everything a stranger needs to recompute a run's evidence, besides their own trust root (DI-229, DI-240). */
export const EvidenceBundle = z.strictObject({
  format: z.literal('palisade.evidence/1'),
  run_id: z.string(),
  entries: z.array(BundleEntry),
  manifests: z.array(z.record(z.string(), z.json())),
  seal: DsseEnvelope,
  log: LogInclusion,
  items: z.array(BundleItem),
});
export type EvidenceBundle = z.infer<typeof EvidenceBundle>;

/** A key the auditor trusts, supplied by the auditor, never taken from a bundle (DI-252). */
export const TrustedKey = z.strictObject({
  alg: z.enum(['ed25519', 'ecdsa-p256']),
  spki_der: Base64,
  status: z.enum(['active', 'revoked']),
  not_before: z.iso.datetime({ offset: true }),
  not_after: z.iso.datetime({ offset: true }).optional(),
  revoked_at: z.iso.datetime({ offset: true }).optional(),
});
export type TrustedKey = z.infer<typeof TrustedKey>;

export const TrustRoot = z.strictObject({
  schema_version: z.literal(1),
  /** Name of the log whose checkpoints are accepted. */
  log_origin: z.string().min(1),
  keys: z.record(z.string(), TrustedKey),
});
export type TrustRoot = z.infer<typeof TrustRoot>;

export type CheckName =
  | 'chain'
  | 'root'
  | 'manifest'
  | 'handoff'
  | 'signature'
  | 'inclusion'
  | 'anchor'
  | 'witness'
  | 'time'
  | 'authorization';

/** One row of a report. `n/a` says the check could not be made, and is never a pass. */
export interface Check {
  readonly name: CheckName;
  readonly ok: true | false | 'n/a';
  readonly detail: string;
}

/** What a verification found (DI-245). */
export interface VerificationReport {
  readonly run_id: string;
  readonly intact: boolean;
  readonly guarantee: 'detect' | 'external-immutable';
  readonly claim: 'tampered' | 'tamper-detecting' | 'tamper-evident';
  readonly time_tier: 'asserted' | 'tsa-attested';
  readonly authz_tier: 'none' | 'recorded' | 'authority-attested';
  readonly failure?: CheckName;
  readonly checks: readonly Check[];
  readonly entries: number;
}
