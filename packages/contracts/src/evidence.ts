import * as z from 'zod';
import { OutputRef } from './events.ts';
import { Hash, Millis, Name } from './schema.ts';

/** Bounds of the format. A verifier refuses what is larger before it works on it. */
export const evidenceLimits = {
  /** One bundle file, bytes. */
  bundleBytes: 256 * 1024 * 1024,
  /** Entries of one run's ledger. */
  entries: 1_000_000,
  /** Hashes of an inclusion proof: a log of 2^63 leaves needs 63. */
  proofHashes: 63,
  /** A signed checkpoint, characters. */
  checkpointChars: 65_536,
  /** A leaf of the log, bytes: entry bundles carry 16-bit lengths (C2SP tlog-tiles). */
  leafBytes: 65_535,
  /** A timestamp token, bytes: a few certificates and a signature. */
  timestampBytes: 65_536,
} as const;

/**
 * Standard base64 with padding, in its only canonical spelling: the unused bits of the last digit
 * are zero. Other spellings of the same bytes are refused, so no character can change unnoticed.
 */
const Base64 = z
  .string()
  .regex(
    /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/,
    'must be canonical base64',
  );
const Hex64 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits');
/** Any JSON object, taken as it is; its members are judged by whoever recomputes its canonical form. */
const JsonObject = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
);

// Members of the big schemas stand in canonical order, so that what they return is written at once.

/** One ledger entry as exported. Verifiers recompute the canonical form of `data`. */
export const BundleEntry = z.strictObject({
  at: Millis,
  data: JsonObject,
  hash: Hex64,
  seq: z.int().nonnegative(),
  type: z.string(),
});
export type BundleEntry = z.infer<typeof BundleEntry>;

/** `_type` of an in-toto Statement, version 1. */
export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
/** `predicateType` of a run's seal, version 1: an identifier, not an address. */
export const SEAL_PREDICATE_TYPE = 'urn:palisade:run-seal:1';
/** DSSE `payloadType` of a seal. */
export const SEAL_PAYLOAD_TYPE = 'application/vnd.in-toto+json';

/** What an item that ended `done` left, as sealed. */
export const SealedProduct = z.strictObject({
  attempt: z.int().positive(),
  item: Name,
  outputs: z.array(OutputRef),
  result_ref: Hash.optional(),
});
export type SealedProduct = z.infer<typeof SealedProduct>;

/** The facts a seal states. A verifier recomputes every one of them. */
export const SealPredicate = z.strictObject({
  /** Events that could not be recorded; a seal of an incomplete ledger says so and never verifies (DI-226). */
  completeness: z.strictObject({ dropped: z.int().nonnegative() }),
  /** Number of entries of the ledger. */
  entries: z.int().positive(),
  /** Chained hash of the last entry. */
  head: Hex64,
  /** Address of every attempt's manifest, in the order the attempts were fired. */
  manifests: z.array(Hash),
  /** Products of the items that ended `done`, in ledger order. */
  products: z.array(SealedProduct),
  /** RFC 9162 tree hash whose leaves are the entries' 32-byte hashes in order. */
  root: Hex64,
  run_id: z.string(),
  /** Unix ms at which the run was sealed: the time of its last entry. Asserted by the installation. */
  sealed_at: Millis,
  /** How the run ended. */
  status: z.string(),
  /** Name of the ledger's stream: `run:<run_id>`. */
  stream: z.string(),
});
export type SealPredicate = z.infer<typeof SealPredicate>;

/** in-toto Statement v1 whose one subject is the run's ledger. */
export const SealStatement = z.strictObject({
  _type: z.literal(STATEMENT_TYPE),
  predicate: SealPredicate,
  predicateType: z.literal(SEAL_PREDICATE_TYPE),
  subject: z.array(z.strictObject({ digest: z.strictObject({ sha256: Hex64 }), name: z.string() })).length(1),
});
export type SealStatement = z.infer<typeof SealStatement>;

/** Dead Simple Signing Envelope, version 1 of that protocol, one signature. */
export const DsseEnvelope = z.strictObject({
  payload: Base64,
  payloadType: z.string().max(255),
  signatures: z.array(z.strictObject({ keyid: z.string().max(255), sig: Base64 })).length(1),
});
export type DsseEnvelope = z.infer<typeof DsseEnvelope>;

/** The leaf of the installation's log that commits to a run's seal; hashed as its canonical JSON. */
export const SealLeaf = z.strictObject({
  format: z.literal('palisade.leaf/1'),
  run_id: z.string(),
  /** Address of the envelope's canonical JSON. */
  seal: Hash,
});
export type SealLeaf = z.infer<typeof SealLeaf>;

/** Where the seal stands in the installation's log: proof of inclusion in the signed checkpoint. */
export const LogInclusion = z.strictObject({
  /** C2SP tlog-checkpoint as a signed note: the log's signature first, then the cosignatures of witnesses. */
  checkpoint: z.string().max(evidenceLimits.checkpointChars),
  leaf_index: z.int().nonnegative(),
  /** Sibling hashes from the leaf upwards (RFC 9162 §2.1.3). */
  proof: z.array(Base64).max(evidenceLimits.proofHashes),
  /** RFC 3161 TimeStampToken (DER) over the checkpoint with the log's own signature and no other. */
  timestamp: Base64.max(Math.ceil(evidenceLimits.timestampBytes / 3) * 4).optional(),
  tree_size: z.int().positive(),
});
export type LogInclusion = z.infer<typeof LogInclusion>;

/** Untrusted display data: what the items looked like. Verifiers never rely on it. */
export const BundleItem = z.strictObject({
  attempts: z.int().nonnegative(),
  id: z.string(),
  result_ref: Hash.optional(),
  status: z.string(),
});
export type BundleItem = z.infer<typeof BundleItem>;

/** Everything a stranger needs to recompute a run's evidence, besides their own trust root (DI-229, DI-240). */
export const EvidenceBundle = z.strictObject({
  entries: z.array(BundleEntry).max(evidenceLimits.entries),
  format: z.literal('palisade.evidence/1'),
  items: z.array(BundleItem).max(evidenceLimits.entries),
  log: LogInclusion,
  /** The manifest of every fired attempt, in the order they were fired. */
  manifests: z.array(JsonObject).max(evidenceLimits.entries),
  run_id: z.string().min(1).max(128),
  seal: DsseEnvelope,
});
export type EvidenceBundle = z.infer<typeof EvidenceBundle>;

/** What a key may sign: seals of runs, checkpoints of the log. */
export const KeyUse = z.enum(['seal', 'log']);
export type KeyUse = z.infer<typeof KeyUse>;

/** A key the auditor trusts, supplied by the auditor, never taken from a bundle (DI-252). */
export const TrustedKey = z.strictObject({
  alg: z.enum(['ed25519', 'ecdsa-p256']),
  spki_der: Base64,
  uses: z.array(KeyUse).min(1),
  status: z.enum(['active', 'revoked']),
  /** The key's period: `not_before <= t < not_after`. */
  not_before: z.iso.datetime({ offset: true }),
  not_after: z.iso.datetime({ offset: true }).optional(),
  revoked_at: z.iso.datetime({ offset: true }).optional(),
});
export type TrustedKey = z.infer<typeof TrustedKey>;

/** Name of a log: no white space, no control character and no `+`, as signed notes demand of key names. */
export const LogOrigin = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^\s\p{C}+]+$/u, 'must hold no white space, control character or "+"');

/** Public key of a witness as a C2SP signed-note verifier key: `<name>+<key id, hex>+<base64>`. */
export const WitnessKey = z
  .string()
  .max(512)
  .regex(/^[^\s\p{C}+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]+={0,2}$/u, 'must be a verifier key: name+id+key');

/** Whose cosignatures count, and how many different witnesses an auditor asks for. */
export const TrustedWitnesses = z.strictObject({
  needed: z.int().positive(),
  keys: z.array(WitnessKey).min(1).max(100),
});
export type TrustedWitnesses = z.infer<typeof TrustedWitnesses>;

/** Whose timestamps count: certificates (DER) that a timestamp's chain has to end in. */
export const TrustedTimestamps = z.strictObject({
  /** True refuses evidence without a verified time; otherwise time only informs (DI-251). */
  required: z.boolean(),
  authorities: z.array(Base64.max(65_536)).min(1).max(100),
});
export type TrustedTimestamps = z.infer<typeof TrustedTimestamps>;

export const TrustRoot = z.strictObject({
  schema_version: z.literal(1),
  /** Name of the log whose checkpoints are accepted. */
  log_origin: LogOrigin,
  keys: z.record(z.string(), TrustedKey),
  witnesses: TrustedWitnesses.optional(),
  timestamps: TrustedTimestamps.optional(),
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
  /** How far the evidence is out of the installation's own hands: nobody else, witnesses, an immutable anchor. */
  readonly guarantee: 'detect' | 'witnessed' | 'external-immutable';
  /** `unproven`: nothing was found changed, but something is missing that the trust root demands. */
  readonly claim: 'tampered' | 'unproven' | 'tamper-detecting' | 'tamper-evident';
  readonly time_tier: 'asserted' | 'tsa-attested';
  readonly authz_tier: 'none' | 'recorded' | 'authority-attested';
  /** The first failing row, in the order of `checks`. */
  readonly failure?: CheckName;
  readonly checks: readonly Check[];
  readonly entries: number;
}
