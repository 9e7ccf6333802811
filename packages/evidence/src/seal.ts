import {
  type BundleEntry,
  canonicalBytes,
  canonicalHash,
  type DsseEnvelope,
  PalisadeError,
  SEAL_PAYLOAD_TYPE,
  type SealLeaf,
  type SealStatement,
} from '@palisade/contracts';
import { signEnvelope } from './dsse.ts';
import type { Signer } from './keys/signer.ts';
import { entryHash, ledgerStream } from './ledger/ledger.ts';
import { type LedgerEvent, readEvent } from './ledger/ledger-event.ts';
import { ledgerFacts, statementOf } from './ledger/ledger-facts.ts';

export interface SealInput {
  readonly runId: string;
  /** The whole ledger in order, ending with `run.completed`. */
  readonly entries: readonly BundleEntry[];
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

function sealStatement({ runId, entries }: SealInput): SealStatement {
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
  const statement = statementOf(runId, entries, ledgerFacts(events));
  if (statement === null)
    throw new PalisadeError(
      'invalid_state',
      `${stream} does not end with run.completed and cannot be sealed`,
    );
  return statement;
}
