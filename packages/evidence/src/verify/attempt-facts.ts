import { canonicalJson, type EventData, isolationOf, type Manifest } from '@palisade/contracts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';

type Fired = Extract<LedgerEvent, { readonly type: 'item.fired' }>;

/** What a ledger says about the attempts of its run, beside that they were fired. */
export class AttemptFacts {
  readonly #submitted: Extract<LedgerEvent, { readonly type: 'run.submitted' }> | undefined;
  readonly #started = new Map<string, EventData<'item.started'>>();
  readonly #ended = new Map<string, EventData<'item.reconciled'>>();

  /** Linear. Child runs name attempts; that no two share one is a rule of the ledger. */
  constructor(events: readonly LedgerEvent[]) {
    const [first] = events;
    if (first?.type === 'run.submitted') this.#submitted = first;
    for (const event of events) {
      if (event.type === 'item.started') this.#started.set(event.data.run, event.data);
      else if (event.type === 'item.reconciled') this.#ended.set(event.data.run, event.data);
    }
  }

  /**
   * Where the ledger and the manifest of a fired attempt contradict each other: who asked for what and when, and
   * whether it ran where it was authorised to. What the ledger does not tell (an attempt that never began, an end
   * without a posture) contradicts nothing.
   */
  *contradictions({ at, data: fired }: Fired, manifest: Manifest): Iterable<string> {
    const submitted = this.#submitted;
    if (submitted !== undefined) {
      yield* differs('actor', manifest.actor, 'run.submitted', submitted.data.actor);
      yield* differs('submitted_at', manifest.submitted_at, 'run.submitted', submitted.at);
      yield* differs('workspace', manifest.workspace, 'run.submitted', submitted.data.workspace);
    }
    yield* differs('fired_at', manifest.fired_at, 'item.fired', at);
    // An attempt that holds nothing does not say so.
    yield* differs('holds', manifest.holds, 'item.fired', fired.holds ?? []);
    if (manifest.deadline_at <= at) yield 'its manifest says a deadline that was over when it was fired';
    const started = this.#started.get(fired.run);
    if (started !== undefined)
      yield* differs('sandbox', manifest.sandbox.provider, 'item.started', started.sandbox);
    const ended = this.#ended.get(fired.run);
    if (ended !== undefined && manifest.sandbox.isolation === 'sandboxed' && ranWithoutBoundary(ended))
      yield `its manifest says sandboxed, item.reconciled ${isolationOf(ended.posture ?? [])}`;
  }
}

/** A worker that gets less than it was promised starts nothing, and tells what it got (EX-204). */
function ranWithoutBoundary({ posture = [], outcome, product }: EventData<'item.reconciled'>): boolean {
  const wasRefused = outcome !== 'succeeded' && (product?.blocks ?? []).length === 0;
  return isolationOf(posture) !== 'sandboxed' && !wasRefused;
}

function* differs(what: string, authorised: unknown, where: string, told: unknown): Iterable<string> {
  const [a, b] = [canonicalJson(authorised), canonicalJson(told)];
  if (a === b) return;
  yield a.length + b.length < 200
    ? `its manifest says ${what} ${a}, ${where} ${b}`
    : `its manifest's ${what} ≠ that of ${where}`;
}
