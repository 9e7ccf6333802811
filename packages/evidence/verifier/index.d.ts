/** Verifies evidence of Palisade runs. Nothing here reads a file, a clock or the network. */

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

/** One row of a report. `n/a` says that the check could not be made, and is never a pass. */
export interface Check {
  readonly name: CheckName;
  readonly ok: true | false | 'n/a';
  readonly detail: string;
}

export interface VerificationReport {
  readonly run_id: string;
  /** False as soon as a row fails that decides, or something is missing that the trust root demands. */
  readonly intact: boolean;
  /** How far the evidence is out of the installation's own hands. */
  readonly guarantee: 'detect' | 'witnessed' | 'external-immutable';
  readonly claim: 'tampered' | 'unproven' | 'tamper-detecting' | 'tamper-evident';
  readonly time_tier: 'asserted' | 'tsa-attested';
  readonly authz_tier: 'none' | 'recorded' | 'authority-attested';
  /** The first row that decided against it. */
  readonly failure?: CheckName;
  readonly checks: readonly Check[];
  /** Entries of the ledger. */
  readonly entries: number;
}

/** A bundle that {@link parseBundle} accepted. Well-formed, and nothing more. */
export interface EvidenceBundle {
  readonly format: 'palisade.evidence/1';
  readonly run_id: string;
  readonly entries: readonly {
    readonly at: number;
    readonly data: Readonly<Record<string, unknown>>;
    readonly hash: string;
    readonly seq: number;
    readonly type: string;
  }[];
  readonly [member: string]: unknown;
}

/** A trust root that {@link parseTrustRoot} accepted. */
export interface TrustRoot {
  readonly schema_version: 1;
  readonly log_origin: string;
  readonly [member: string]: unknown;
}

/** Raised for input that cannot be used; `code` is `evidence_invalid` or `too_large`. */
export interface UnusableInput extends Error {
  readonly name: 'PalisadeError';
  readonly code: 'evidence_invalid' | 'too_large';
  readonly why: string | undefined;
  readonly issues: readonly { readonly path: string; readonly message: string }[];
}

/** Reads a bundle, strictly; raises {@link UnusableInput}. */
export function parseBundle(bytes: Uint8Array): EvidenceBundle;
/** Reads a trust root, strictly; raises {@link UnusableInput}. */
export function parseTrustRoot(bytes: Uint8Array): TrustRoot;
/** Recomputes every row. Without a trust root nobody's signature can be checked, and the rows say so. */
export function verifyBundle(bundle: EvidenceBundle, trustRoot: TrustRoot | null): VerificationReport;
/** {@link parseBundle} and {@link verifyBundle}. */
export function verifyBundleBytes(bytes: Uint8Array, trustRoot: TrustRoot | null): VerificationReport;
/** A report as text for people. */
export function renderReport(report: VerificationReport): string;
/** A report as JSON text. */
export function reportJson(report: VerificationReport): string;
