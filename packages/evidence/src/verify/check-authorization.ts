import {
  type AnyManifest,
  type Authorization,
  type Check,
  isApprovalManifest,
  type VerificationReport,
} from '@palisade/contracts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';

const NOBODY = 'actors are recorded as identities; no authorization was recorded';

/**
 * What is recorded of who let things be done (DI-194, DI-245). `recorded`: somebody decided about every attempt of a program, and about at
 * least one thing. The records themselves are judged with the ledger and with the manifests: this row is never a failure.
 * `authority-attested` would need decisions signed by whoever decides, which this format does not carry.
 */
export function checkAuthorization(
  events: readonly LedgerEvent[],
  manifests: readonly AnyManifest[],
): { readonly row: Check; readonly tier: VerificationReport['authz_tier'] } {
  const programs = manifests.flatMap((manifest) => (isApprovalManifest(manifest) ? [] : [manifest]));
  const decided = programs.filter(({ authorization }) => isDecided(authorization)).length;
  const denied = events.filter(({ type }) => type === 'item.denied').length;
  const said = `${decided} of ${programs.length} attempts authorised${denied === 0 ? '' : `, ${denied} items denied`}`;
  if (decided < programs.length || decided + denied === 0) {
    const detail = decided + denied === 0 ? NOBODY : said;
    return { row: { name: 'authorization', ok: 'n/a', detail }, tier: 'none' };
  }
  return { row: { name: 'authorization', ok: true, detail: said }, tier: 'recorded' };
}

/** An authorizer allowed it, or a person approved it. */
function isDecided(authorization: Authorization | undefined): boolean {
  return authorization?.verdict === 'allow' || authorization?.approved_by !== undefined;
}
