import {
  type AnyManifest,
  type BundleEntry,
  canonicalBytes,
  canonicalJson,
  type DsseEnvelope,
  EvidenceBundle,
  evidenceLimits,
  isPalisadeError,
  type LogInclusion,
  PalisadeError,
  parseInput,
} from '@palisade/contracts';
import { readEvent } from './ledger/ledger-event.ts';
import { ledgerItems } from './ledger/ledger-items.ts';

export interface BundleInput {
  readonly runId: string;
  readonly entries: readonly BundleEntry[];
  /** The manifest of every fired attempt, in the order they were fired (DI-240). */
  readonly manifests: readonly AnyManifest[];
  readonly seal: DsseEnvelope;
  readonly log: LogInclusion;
}

/** Puts a run's evidence together; `evidence_invalid` when a part is not of the format. It proves nothing: verify it. */
export function buildBundle(input: BundleInput): EvidenceBundle {
  const { runId, seal, log } = input;
  const entries = input.entries.map((entry) => ({ ...entry, data: inOrder(entry.data) }));
  const manifests = input.manifests.map(inOrder);
  // An entry that cannot be read is left out of the rows: nothing is proved by them.
  const events = input.entries.flatMap((entry) => {
    const event = readEvent(entry);
    return 'problem' in event ? [] : [event];
  });
  const items = ledgerItems(events);
  const bundle = { format: 'palisade.evidence/1', run_id: runId, entries, manifests, seal, log, items };
  return parseInput(EvidenceBundle, bundle, 'the evidence', 'evidence_invalid');
}

/** A bundle's file: its canonical JSON, nothing before or after. */
export function bundleBytes(bundle: EvidenceBundle): Buffer {
  return canonicalBytes(bundle);
}

/**
 * Reads a bundle somebody hands over. Bytes are hostile: bounded before anything else, strictly
 * UTF-8, strictly the canonical JSON of what they say (so that no two readers can understand a
 * repeated member, a number or an escape differently), strictly the format's members. One newline
 * at the end is allowed. Raises `too_large`, or `evidence_invalid` with every problem in `issues`.
 */
export function parseBundle(bytes: Uint8Array): EvidenceBundle {
  if (bytes.length > evidenceLimits.bundleBytes)
    throw new PalisadeError('too_large', `a bundle may have at most ${evidenceLimits.bundleBytes} bytes`);
  const text = decode(bytes);
  const value = parseJson(text);
  // Also bounds the nesting before the schema walks it.
  if (canonical(value) !== text)
    throw invalid('the bundle is not in canonical form', 'it was re-formatted, or has repeated members');
  // The one member name that objects hide: the schema would leave it out, and no check would see it.
  if (text.includes('"__proto__":'))
    throw invalid('the bundle has a member named __proto__', 'no evidence has such a member');
  return parseInput(EvidenceBundle, value, 'the bundle', 'evidence_invalid');
}

/** The same value with its members in canonical order. */
function inOrder(value: object): unknown {
  return JSON.parse(canonicalJson(value));
}

function decode(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.endsWith('\n') ? text.slice(0, -1) : text;
  } catch (cause) {
    throw new PalisadeError('evidence_invalid', 'the bundle is not UTF-8', { cause });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new PalisadeError('evidence_invalid', 'the bundle is not JSON', { cause });
  }
}

function canonical(value: unknown): string {
  try {
    return canonicalJson(value);
  } catch (cause) {
    if (isPalisadeError(cause, 'not_canonical'))
      throw invalid('the bundle has no canonical form', cause.message);
    throw cause;
  }
}

function invalid(message: string, why: string): PalisadeError {
  return new PalisadeError('evidence_invalid', message, { why });
}
