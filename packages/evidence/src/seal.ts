import {
  type BundleEntry,
  canonicalBytes,
  canonicalHash,
  type DsseEnvelope,
  PalisadeError,
  SEAL_PAYLOAD_TYPE,
  SEAL_PREDICATE_TYPE,
  type SealLeaf,
  type SealStatement,
  STATEMENT_TYPE,
} from '@palisade/contracts';
import { signEnvelope } from './dsse.ts';
import type { Signer } from './keys/signer.ts';
import { entryHash, ledgerRoot, ledgerStream } from './ledger/ledger.ts';
import { type LedgerEvent, readEvent } from './ledger/ledger-event.ts';
import { ledgerFacts } from './ledger/ledger-facts.ts';

export interface SealInput {
  readonly runId: string;
  /** The whole ledger in order, ending with `run.completed`. */
  readonly entries: readonly BundleEntry[];
  /** Events known to be lost. Not 0 means a seal that says so and never verifies (DI-226). */
  readonly dropped?: number;
  readonly signer: Signer;
}

export interface Seal {
  readonly statement: SealStatement;
  readonly envelope: DsseEnvelope;
  /** The leaf to append to the installation's log: it commits to every byte of the envelope. */
  readonly leafBytes: Buffer;
}

/**
 * Seals a finished run: recomputes its chain and tree, states the facts and signs them (DI-225).
 * A function of the ledger and the key alone (the seal's time is the last entry's), so that a
 * seal repeated after a crash has the same bytes (DI-226). Raises `integrity_mismatch` when the
 * stored chain does not recompute, and `invalid_state` when the ledger does not end with `run.completed`.
 */
export async function sealRun(input: SealInput): Promise<Seal> {
  const statement = sealStatement(input);
  const envelope = await signEnvelope(SEAL_PAYLOAD_TYPE, canonicalBytes(statement), input.signer);
  return { statement, envelope, leafBytes: sealLeaf(input.runId, envelope) };
}

/** The log's leaf for an envelope: canonical JSON of {@link SealLeaf}. */
export function sealLeaf(runId: string, envelope: DsseEnvelope): Buffer {
  const leaf: SealLeaf = { format: 'palisade.leaf/1', run_id: runId, seal: canonicalHash(envelope) };
  return canonicalBytes(leaf);
}

function sealStatement({ runId, entries, dropped = 0 }: SealInput): SealStatement {
  const stream = ledgerStream(runId);
  const events: LedgerEvent[] = [];
  let previous: string | null = null;
  for (const [index, entry] of entries.entries()) {
    if (entry.seq !== index || entryHash(stream, entry, previous) !== entry.hash)
      throw new PalisadeError('integrity_mismatch', `ledger entry ${index} of ${stream} does not recompute`);
    previous = entry.hash;
    const event = readEvent(entry);
    if ('problem' in event) throw new PalisadeError('integrity_mismatch', `${stream}: ${event.problem}`);
    events.push(event);
  }
  const last = entries.at(-1);
  if (last === undefined || last.type !== 'run.completed')
    throw new PalisadeError(
      'invalid_state',
      `${stream} does not end with run.completed and cannot be sealed`,
    );
  const { fired, products, status } = ledgerFacts(events);
  const root = ledgerRoot(entries);
  return {
    _type: STATEMENT_TYPE,
    subject: [{ name: stream, digest: { sha256: root } }],
    predicateType: SEAL_PREDICATE_TYPE,
    predicate: {
      run_id: runId,
      stream,
      entries: entries.length,
      head: last.hash,
      root,
      manifests: fired.map((event) => event.data.manifest_ref),
      products: [...products],
      status: status ?? 'failed',
      completeness: { dropped },
      sealed_at: last.at,
    },
  };
}
