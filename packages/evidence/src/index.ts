export { buildBundle, bundleBytes, type BundleInput, parseBundle } from './bundle.ts';
export {
  defaultKeyid,
  ed25519Signer,
  generateEd25519,
  type SignatureAlg,
  type Signer,
} from './keys/signer.ts';
export { parseTrustRoot, type PublishedKey, trustRootFrom } from './keys/trust-root.ts';
export { type Checkpoint, parseCheckpoint, withoutCosignatures } from './log/checkpoint.ts';
export {
  type LeafSource,
  LogPublisher,
  type LogPublisherOptions,
  type PublishedLog,
  type PublishOptions,
} from './log/log-publisher.ts';
export { LogReader } from './log/log-reader.ts';
export { NOTE_KEY_TYPE, noteKeyId } from './log/signed-note.ts';
export { treeRoot } from './merkle/compact-range.ts';
export { leafHash } from './merkle/merkle-hash.ts';
export { consistencyProof, inclusionProof, verifyConsistency, verifyInclusion } from './merkle/proof.ts';
export { LEDGER_ENDS, renderLedger, renderReport, reportJson } from './render-report.ts';
export { type Seal, type SealInput, sealLeaf, sealRun } from './seal.ts';
export { verifyBundle, verifyBundleBytes } from './verify/verify-bundle.ts';
export { TIMESTAMP_QUERY, TIMESTAMP_REPLY, timestampQuery, tokenOfReply } from './time/timestamp-protocol.ts';
export { type AttestedTime, readTimestamp, verifyTimestamp } from './time/timestamp-token.ts';
export { formatAddCheckpoint, LOG_SIZE_TYPE, sizeOfConflict } from './witness/add-checkpoint.ts';
export { cosignatureIn } from './witness/cosignature.ts';
export { formatVerifierKey, parseVerifierKey, type VerifierKey } from './witness/verifier-key.ts';
