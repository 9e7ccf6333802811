import type { Check, EvidenceBundle, TrustRoot } from '@palisade/contracts';
import { parseCheckpoint, withoutCosignatures } from '../log/checkpoint.ts';
import { verifyTimestamp } from '../time/timestamp-token.ts';

/** From when on a clock that is ahead is told of; authorities tell whole seconds, and clocks differ, ms. */
const TOLD_MS = 60_000;

/** The row `time`, and the attested time (Unix ms) when there is one: the seal and both signatures existed by then. */
export interface TimeCheck {
  readonly row: Check;
  readonly attestedAt: number | null;
}

/**
 * DI-251: when an authority of the trust root says the signed checkpoint existed. The checkpoint commits to
 * the seal only where the proof of inclusion computes its root, which is the row `inclusion`: `isIncluded`.
 */
export function checkTime(
  bundle: EvidenceBundle,
  trustRoot: TrustRoot | null,
  sealedAt: number | null,
  isIncluded: boolean,
): TimeCheck {
  const { timestamp: token, checkpoint: note } = bundle.log;
  const trusted = trustRoot?.timestamps;
  const row = (ok: Check['ok'], detail: string): Check => ({ name: 'time', ok, detail });
  const asserted = assertedText(sealedAt);
  if (token === undefined) {
    const isMissing = trusted?.required === true;
    return {
      row: row(
        isMissing ? false : 'n/a',
        isMissing ? `no timestamp, and the trust root requires one: ${asserted}` : asserted,
      ),
      attestedAt: null,
    };
  }
  if (trusted === undefined)
    return {
      row: row('n/a', `${asserted}; a timestamp is there, but no authority in the trust root to check it by`),
      attestedAt: null,
    };
  if (parseCheckpoint(note) === null || !isIncluded)
    return {
      row: row(false, 'the timestamp is of a checkpoint that does not commit to the seal'),
      attestedAt: null,
    };
  const authorities = trusted.authorities.map((certificate) => Buffer.from(certificate, 'base64'));
  const found = verifyTimestamp(
    Buffer.from(token, 'base64'),
    Buffer.from(withoutCosignatures(note), 'utf8'),
    authorities,
  );
  if ('problem' in found) return { row: row(false, found.problem), attestedAt: null };
  const { at, by } = found;
  const aheadMs = sealedAt === null ? 0 : sealedAt - at;
  const early = aheadMs > TOLD_MS ? `; its own clock was ${Math.round(aheadMs / 1_000)} s ahead` : '';
  return { row: row(true, `existed at ${iso(at)}, attested by ${by}${early}`), attestedAt: at };
}

function assertedText(sealedAt: number | null): string {
  const date = sealedAt === null ? null : new Date(sealedAt);
  return date === null || Number.isNaN(date.getTime())
    ? 'no time stated'
    : `${date.toISOString()} asserted, not attested`;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
