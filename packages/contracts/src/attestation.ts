/** Attests that something existed at a time: a trusted third party (RFC 3161). */
export interface TimestampAuthority {
  /** Names it in records and to people; holds no credential. */
  readonly name: string;
  /**
   * A DER TimeStampToken over the SHA-256 of `message`, checked to answer this request. Raises
   * `upstream_failed`, `policy_denied`, `too_large` or `evidence_invalid`; asking again later may help.
   */
  stamp(message: Uint8Array): Promise<Uint8Array>;
}

/** A head of a log that is put before a witness. */
export interface WitnessSubmission {
  /** The checkpoint as a signed note, with the log's own signature. */
  readonly checkpoint: string;
  readonly size: number;
  /** Size of the tree that this witness cosigned last, as far as is known; 0 when it never did. */
  readonly lastSize: number;
  /** Proof that the tree of this size is a prefix of the one submitted (RFC 6962 §2.1.2). */
  consistencyFrom(size: number): Promise<readonly Uint8Array[]>;
}

/** Attests that a log only ever grew: an independent party that saw its earlier heads (C2SP tlog-witness). */
export interface CheckpointWitness {
  /** Name of its key. */
  readonly name: string;
  /** Its public key as a signed-note verifier key. */
  readonly verifierKey: string;
  /**
   * The line of its cosignature, verified, with the newline. Raises `upstream_failed`, `policy_denied` or
   * `too_large` when it may come later, `integrity_mismatch` when it refuses because it saw another history.
   */
  cosign(submission: WitnessSubmission): Promise<string>;
}
