export { buildBundle, bundleBytes, type BundleInput, parseBundle } from './bundle.ts';
export {
  defaultKeyid,
  ed25519Signer,
  generateEd25519,
  type SignatureAlg,
  type Signer,
} from './keys/signer.ts';
export { parseTrustRoot, type PublishedKey, trustRootFrom } from './keys/trust-root.ts';
export { type Checkpoint, parseCheckpoint } from './log/checkpoint.ts';
export {
  type LeafSource,
  LogPublisher,
  type LogPublisherOptions,
  type PublishedLog,
  type PublishOptions,
} from './log/log-publisher.ts';
export { LogReader } from './log/log-reader.ts';
export { treeRoot } from './merkle/compact-range.ts';
export { leafHash } from './merkle/merkle-hash.ts';
export { consistencyProof, inclusionProof, verifyConsistency, verifyInclusion } from './merkle/proof.ts';
export { LEDGER_ENDS, renderLedger, renderReport, reportJson } from './render-report.ts';
export { type Seal, type SealInput, sealLeaf, sealRun } from './seal.ts';
export { verifyBundle, verifyBundleBytes } from './verify/verify-bundle.ts';
