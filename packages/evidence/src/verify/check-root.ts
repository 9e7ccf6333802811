import {
  type BundleEntry,
  canonicalJson,
  type EvidenceBundle,
  isPalisadeError,
  parseInput,
  SEAL_PAYLOAD_TYPE,
  SealStatement,
} from '@palisade/contracts';
import { ledgerRoot, ledgerStream } from '../ledger/ledger.ts';
import type { LedgerFacts } from '../ledger/ledger-facts.ts';
import type { Problems } from './problems.ts';

/** Reads the sealed statement out of a bundle's envelope, or reports why it cannot be read. */
export function readStatement(bundle: EvidenceBundle, problems: Problems): SealStatement | null {
  if (bundle.seal.payloadType !== SEAL_PAYLOAD_TYPE) {
    problems.add(`the seal is a ${JSON.stringify(bundle.seal.payloadType)}, not a ${SEAL_PAYLOAD_TYPE}`);
    return null;
  }
  const text = Buffer.from(bundle.seal.payload, 'base64').toString('utf8');
  try {
    const statement = parseInput(SealStatement, JSON.parse(text), 'the statement', 'evidence_invalid');
    if (canonicalJson(statement) === text) return statement;
    problems.add("the seal's statement is not in canonical form");
  } catch (error) {
    const why = isPalisadeError(error) ? error.message : 'it is not JSON';
    problems.add(`the seal's statement cannot be read: ${why}`);
  }
  return null;
}

/** Every fact the seal states, recomputed from the ledger in the bundle. */
export function checkRoot(
  runId: string,
  entries: readonly BundleEntry[],
  facts: LedgerFacts,
  statement: SealStatement,
  problems: Problems,
): void {
  const { predicate, subject } = statement;
  const stream = ledgerStream(runId);
  const root = ledgerRoot(entries);
  const head = entries.at(-1);
  const same = (what: string, sealed: unknown, found: unknown): void => {
    if (canonicalJson(sealed) === canonicalJson(found)) return;
    const isShort = typeof sealed !== 'object' && typeof found !== 'object';
    problems.add(
      isShort
        ? `sealed ${what} ${String(sealed)}, recomputed ${String(found)}`
        : `sealed ${what} ≠ recomputed`,
    );
  };
  same('run', predicate.run_id, runId);
  same('stream', predicate.stream, stream);
  same('number of entries', predicate.entries, entries.length);
  same('head', predicate.head, head?.hash ?? null);
  same('root', predicate.root, root);
  same('subject', subject, [{ name: stream, digest: { sha256: root } }]);
  same(
    'manifests',
    predicate.manifests,
    facts.fired.map((event) => event.data.manifest_ref),
  );
  same('products', predicate.products, facts.products);
  same('status', predicate.status, facts.status ?? null);
  same('time', predicate.sealed_at, head?.at ?? null);
  if (predicate.completeness.dropped !== 0)
    problems.add(`the seal says that ${predicate.completeness.dropped} event(s) were dropped`);
}
