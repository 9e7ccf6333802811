/*
 * The verifier as a library: what the package `palisade-verify` exports. It computes from bytes and reaches
 * for nothing: no file, no network, no clock.
 */
export { parseBundle } from './bundle.ts';
export { parseTrustRoot } from './keys/trust-root.ts';
export { renderReport, reportJson } from './render-report.ts';
export { verifyBundle, verifyBundleBytes } from './verify/verify-bundle.ts';
