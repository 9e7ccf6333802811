import type { EvidenceBundle, TrustRoot, VerificationReport } from '@palisade/contracts';
import { verifyBundle } from '../src/index.ts';
import { TRUST_ROOT } from './story.ts';

/** The verdict with the sample trust root unless another is given. */
export function verify(bundle: EvidenceBundle, root: TrustRoot | null = TRUST_ROOT): VerificationReport {
  return verifyBundle(bundle, root);
}

/** One row as `<ok>: <detail>`. */
export function detailOf(bundle: EvidenceBundle, name: string, root: TrustRoot | null = TRUST_ROOT): string {
  const check = verify(bundle, root).checks.find((row) => row.name === name);
  return `${String(check?.ok)}: ${check?.detail}`;
}

/** Names of the failing rows. */
export function failing(bundle: EvidenceBundle, root: TrustRoot | null = TRUST_ROOT): string[] {
  return verify(bundle, root)
    .checks.filter((row) => row.ok === false)
    .map((row) => row.name);
}
