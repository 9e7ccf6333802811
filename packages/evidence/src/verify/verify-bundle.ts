import {
  canonicalJson,
  type Check,
  type CheckName,
  type EvidenceBundle,
  type TrustRoot,
  type VerificationReport,
} from '@palisade/contracts';
import { parseBundle } from '../bundle.ts';
import { ledgerStream } from '../ledger/ledger.ts';
import { type LedgerEvent, readEvent } from '../ledger/ledger-event.ts';
import { ledgerFacts } from '../ledger/ledger-facts.ts';
import { ledgerItems } from '../ledger/ledger-items.ts';
import { checkLedgerRules } from '../ledger/ledger-rules.ts';
import { AttemptFacts } from './attempt-facts.ts';
import { checkAuthorization } from './check-authorization.ts';
import { checkChain } from './check-chain.ts';
import { checkHandoff } from './check-handoff.ts';
import { checkInclusion, proofProblem } from './check-inclusion.ts';
import { checkManifests } from './check-manifests.ts';
import { checkRoot } from './check-root.ts';
import { checkSignature } from './check-signature.ts';
import { checkTime } from './check-time.ts';
import { checkWitness } from './check-witness.ts';
import { Problems } from './problems.ts';

/** Rows that must not fail for a run to be intact. */
const DECISIVE: ReadonlySet<CheckName> = new Set([
  'chain',
  'root',
  'manifest',
  'handoff',
  'signature',
  'inclusion',
  'witness',
]);

/**
 * Recomputes a run's evidence from the bundle and the auditor's own trust root; nothing in the
 * bundle is believed, and nothing outside the two is read (FF-139). Collects every row; the first
 * failing one, in the order of the rows, is `failure` (DI-245). Without a trust root nobody's
 * signature can be checked: those rows are `n/a` and say so (DI-247). Time is linear in the
 * bundle's size. Never throws for a bundle that {@link parseBundle} accepts.
 */
export function verifyBundle(bundle: EvidenceBundle, trustRoot: TrustRoot | null): VerificationReport {
  const runId = bundle.run_id;
  const chain = new Problems();
  checkChain(ledgerStream(runId), bundle.entries, chain);
  const events = readEvents(bundle, chain);
  checkLedgerRules(runId, events, (problem) => chain.add(problem));
  if (canonicalJson(bundle.items) !== canonicalJson(ledgerItems(events)))
    chain.add('the items listed are not what the ledger says of them');
  const facts = ledgerFacts(events);

  const root = new Problems();
  const sealedAt = checkRoot(bundle, facts, root);

  const manifest = new Problems();
  const manifests = checkManifests(runId, bundle.manifests, facts.fired, new AttemptFacts(events), manifest);
  const attempts = facts.fired.length;
  const unproved = proofProblem(bundle);
  const time = checkTime(bundle, trustRoot, sealedAt, unproved === null);
  const witness = checkWitness(bundle, trustRoot, unproved === null);
  const authorization = checkAuthorization(
    events,
    manifests.map((each) => each.manifest),
  );
  const signedAt = sealedAt === null ? null : { asserted: sealedAt, attested: time.attestedAt };

  const checks: Check[] = [
    chain.row('chain', { ok: true, detail: `${bundle.entries.length} events, no gap` }),
    root.row('root', { ok: true, detail: 'matches the sealed root' }),
    manifest.row('manifest', { ok: true, detail: `${attempts} of ${attempts} attempts` }),
    checkHandoff(events, manifests),
    checkSignature(bundle, trustRoot, signedAt),
    checkInclusion(bundle, trustRoot, unproved, signedAt),
    { name: 'anchor', ok: 'n/a', detail: 'local only: this is why it is not tamper-evident' },
    witness.row,
    time.row,
    authorization.row,
  ];
  const isTimeRequired = trustRoot?.timestamps?.required === true;
  const failed = checks.filter(
    ({ name, ok }) => ok === false && (DECISIVE.has(name) || (name === 'time' && isTimeRequired)),
  );
  // What the trust root asks for and the bundle lacks is no sign that anybody changed anything.
  const isTampered = failed.some(({ name }) => name !== 'time' && !(name === 'witness' && witness.isMissing));
  return {
    run_id: runId,
    intact: failed.length === 0,
    guarantee: failed.length === 0 && witness.row.ok === true ? 'witnessed' : 'detect',
    // Tamper-evident needs an external immutable anchor (DI-247), which this format does not carry yet.
    claim: failed.length === 0 ? 'tamper-detecting' : isTampered ? 'tampered' : 'unproven',
    time_tier: time.attestedAt === null ? 'asserted' : 'tsa-attested',
    authz_tier: failed.length === 0 ? authorization.tier : 'none',
    ...(failed[0] === undefined ? {} : { failure: failed[0].name }),
    checks,
    entries: bundle.entries.length,
  };
}

/** Parses and verifies a bundle's bytes. Raises like {@link parseBundle}: what cannot be read is not a verdict. */
export function verifyBundleBytes(bytes: Uint8Array, trustRoot: TrustRoot | null): VerificationReport {
  return verifyBundle(parseBundle(bytes), trustRoot);
}

function readEvents(bundle: EvidenceBundle, chain: Problems): LedgerEvent[] {
  const events: LedgerEvent[] = [];
  if (bundle.entries.length === 0) chain.add('the ledger is empty');
  for (const entry of bundle.entries) {
    const event = readEvent(entry);
    if ('problem' in event) chain.add(event.problem);
    else events.push(event);
  }
  return events;
}
