import { Certificate } from './certificate.ts';

/** Certificates between the signer and the authority in the trust root, at most. */
const MAX_HOPS = 8;
/** Signatures of certificates checked for one timestamp: a bound on what a hostile token can cost. */
const MAX_CHECKS = 64;

/**
 * Why no chain of valid certificates leads from a timestamp's signer to an authority of the trust root at a
 * time (Unix ms), or null when one does (RFC 5280 §6.1 with the checks named in {@link Certificate}; no
 * revocation lists: whoever distrusts an authority takes it out of the trust root). The signer itself may be
 * in the trust root.
 */
export function chainProblem(
  signer: Certificate,
  others: readonly Certificate[],
  authorities: readonly Certificate[],
  time: number,
): string | null {
  const problem = signer.problemAt(time) ?? signer.stampingProblem();
  if (problem !== null) return `the signer's certificate ${problem}`;
  if (authorities.some((authority) => authority.x509.raw.equals(signer.x509.raw))) return null;
  let checks = 0;
  // Why the nearest candidate was not taken, when there was one: it tells more than that there is no chain.
  let nearest: string | null = null;
  const climb = (certificate: Certificate, hops: number): boolean => {
    if (hops > MAX_HOPS) return false;
    for (const candidate of [...authorities, ...others]) {
      if (candidate.x509.raw.equals(certificate.x509.raw) || !certificate.namesIssuer(candidate)) continue;
      if (++checks > MAX_CHECKS || !certificate.isSignedBy(candidate)) continue;
      const refusal = candidate.problemAt(time) ?? candidate.issuingProblem(hops);
      if (refusal !== null) nearest ??= `an issuer's certificate ${refusal}`;
      else if (authorities.includes(candidate) || climb(candidate, hops + 1)) return true;
    }
    return false;
  };
  if (climb(signer, 0)) return null;
  return nearest ?? 'no chain leads to an authority of the trust root';
}
