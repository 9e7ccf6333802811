import {
  type AnyManifest,
  ApprovalManifest,
  canonicalHash,
  isPalisadeError,
  Manifest,
  zodIssues,
} from '@palisade/contracts';
import type { LedgerFacts } from '../ledger/ledger-facts.ts';
import type { AttemptFacts } from './attempt-facts.ts';
import type { Problems } from './problems.ts';

/** A well-formed manifest of the bundle under its own recomputed address. */
export interface AddressedManifest {
  readonly ref: string;
  readonly manifest: AnyManifest;
}

/**
 * DI-240, DI-249: every fired attempt has its manifest, found by its recomputed address and made out
 * for the same run, item and attempt, and for what the ledger tells of it; every manifest belongs to exactly one fired attempt; and they
 * stand in the order they were fired. Returns the readable ones. Linear by an index of addresses.
 */
export function checkManifests(
  runId: string,
  manifests: readonly unknown[],
  fired: LedgerFacts['fired'],
  attempts: AttemptFacts,
  problems: Problems,
): AddressedManifest[] {
  const readable: AddressedManifest[] = [];
  const places = new Map<string, { readonly index: number; readonly manifest: AnyManifest | null }>();
  for (const [index, value] of manifests.entries()) {
    const ref = addressOf(value);
    if (ref === null) {
      problems.add(`manifest ${index} has no canonical form`);
      continue;
    }
    if (places.has(ref)) problems.add(`manifest ${index} is a second copy of ${ref}`);
    const parsed = manifestSchema(value).safeParse(value);
    if (!parsed.success) {
      const issue = zodIssues(parsed.error)[0];
      problems.add(`manifest ${index} is malformed at ${issue?.path}: ${issue?.message}`);
    } else readable.push({ ref, manifest: parsed.data });
    places.set(ref, { index, manifest: parsed.success ? parsed.data : null });
  }
  const used = new Set<string>();
  for (const [order, event] of fired.entries()) {
    const { data } = event;
    const what = `item ${data.item} attempt ${data.attempt}`;
    const place = places.get(data.manifest_ref);
    if (place === undefined) {
      problems.add(`${what}: no manifest with hash ${data.manifest_ref}`);
      continue;
    }
    if (used.has(data.manifest_ref)) {
      // Reading a long one once for each of many attempts would cost the product of both.
      problems.add(`${what}: its manifest belongs to an earlier attempt`);
      continue;
    }
    used.add(data.manifest_ref);
    if (place.index !== order)
      problems.add(`${what}: its manifest is number ${place.index}, expected ${order}`);
    const { manifest } = place;
    if (manifest === null) continue;
    const isItsOwn =
      manifest.run_id === runId &&
      manifest.item_id === data.item &&
      manifest.attempt === data.attempt &&
      manifest.attempt_run === data.run;
    if (!isItsOwn) problems.add(`${what}: its manifest is made out for another run, item or attempt`);
    else for (const problem of attempts.contradictions(event, manifest)) problems.add(`${what}: ${problem}`);
  }
  for (const [ref, { index }] of places)
    if (!used.has(ref)) problems.add(`manifest ${index} (${ref}) belongs to no fired attempt`);
  return readable;
}

/** The one shape a value can have, so that what is said of a malformed one names its place. */
function manifestSchema(value: unknown): typeof Manifest | typeof ApprovalManifest {
  return typeof value === 'object' && value !== null && 'kind' in value ? ApprovalManifest : Manifest;
}

function addressOf(value: unknown): string | null {
  try {
    return canonicalHash(value);
  } catch (error) {
    if (isPalisadeError(error, 'not_canonical')) return null;
    throw error;
  }
}
