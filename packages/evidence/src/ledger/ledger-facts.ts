import {
  type BundleEntry,
  type EventData,
  SEAL_PREDICATE_TYPE,
  type SealedProduct,
  type SealStatement,
  STATEMENT_TYPE,
} from '@palisade/contracts';
import { ledgerRoot, ledgerStream } from './ledger.ts';
import type { LedgerEvent } from './ledger-event.ts';

type FiredEvent = Extract<LedgerEvent, { readonly type: 'item.fired' }>;

/** What a seal states about a ledger, recomputed from its entries. */
export interface LedgerFacts {
  readonly fired: readonly FiredEvent[];
  /** Products of the items that ended `done`, in ledger order. */
  readonly products: readonly SealedProduct[];
  /** How the run ended; undefined when no entry says so. */
  readonly status: EventData<'run.completed'>['status'] | undefined;
}

/** Recomputes the facts of a ledger. Linear, and total: an incomplete ledger has incomplete facts. */
export function ledgerFacts(events: readonly LedgerEvent[]): LedgerFacts {
  const fired: FiredEvent[] = [];
  const products: SealedProduct[] = [];
  let status: LedgerFacts['status'];
  for (const event of events) {
    if (event.type === 'item.fired') fired.push(event);
    else if (event.type === 'run.completed') status = event.data.status;
    else if (event.type === 'item.reconciled' && event.data.status === 'done')
      products.push(productOf(event.data));
  }
  return { fired, products, status };
}

/** The one statement that is true of a finished and complete ledger; null when it does not end with `run.completed`. */
export function statementOf(
  runId: string,
  entries: readonly Pick<BundleEntry, 'hash' | 'at' | 'type'>[],
  facts: LedgerFacts,
): SealStatement | null {
  const last = entries.at(-1);
  if (last === undefined || last.type !== 'run.completed' || facts.status === undefined) return null;
  const root = ledgerRoot(entries);
  return {
    _type: STATEMENT_TYPE,
    predicate: {
      completeness: { dropped: 0 },
      entries: entries.length,
      head: last.hash,
      manifests: facts.fired.map((event) => event.data.manifest_ref),
      products: [...facts.products],
      root,
      run_id: runId,
      sealed_at: last.at,
      status: facts.status,
      stream: ledgerStream(runId),
    },
    predicateType: SEAL_PREDICATE_TYPE,
    subject: [{ digest: { sha256: root }, name: ledgerStream(runId) }],
  };
}

function productOf(data: EventData<'item.reconciled'>): SealedProduct {
  const { outputs = [], result_ref } = data.product ?? {};
  const { attempt, item } = data;
  return { attempt, item, outputs, ...(result_ref === undefined ? {} : { result_ref }) };
}
