import {
  type AnsweredRef,
  type AnyManifest,
  type ApprovalManifest,
  canonicalJson,
  type EventData,
  isApprovalManifest,
  isolationOf,
  letsThrough,
  type Manifest,
} from '@palisade/contracts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';

type Fired = Extract<LedgerEvent, { readonly type: 'item.fired' }>;

/** What a ledger says about the attempts of its run, beside that they were fired. */
export class AttemptFacts {
  readonly #submitted: Extract<LedgerEvent, { readonly type: 'run.submitted' }> | undefined;
  readonly #started = new Map<string, EventData<'item.started'>>();
  readonly #ended = new Map<string, EventData<'item.reconciled'>>();
  readonly #requested = new Map<string, EventData<'item.approval_requested'>>();
  readonly #decided = new Map<string, EventData<'item.decided'>>();
  /** By item, the questions answered, in the order of the ledger. */
  readonly #answered = new Map<string, AnsweredRef[]>();
  /** By the place of `item.fired`, how many questions of its item had been answered before. */
  readonly #answeredBefore = new Map<number, number>();
  /** Items to whose agents something was sent. */
  readonly #messaged = new Set<string>();
  /** Whoever started the run or added to it. */
  readonly #authors = new Set<string>();
  /** The place where somebody added an item to the run. */
  readonly #added = new Map<string, number>();
  /** Who approved which item, and the place of the decision. */
  readonly #approvals = new Map<string, { readonly by: string; readonly seq: number }>();

  /** Linear. Child runs name attempts; that no two share one is a rule of the ledger. */
  constructor(events: readonly LedgerEvent[]) {
    const [first] = events;
    if (first?.type === 'run.submitted') {
      this.#submitted = first;
      this.#authors.add(first.data.actor);
    }
    for (const event of events) {
      if (event.type === 'item.fired')
        this.#answeredBefore.set(event.seq, this.#answered.get(event.data.item)?.length ?? 0);
      else if (event.type === 'item.started') this.#started.set(event.data.run, event.data);
      else if (event.type === 'item.reconciled') this.#ended.set(event.data.run, event.data);
      else if (event.type === 'item.answered') this.#addAnswer(event.data);
      else if (event.type === 'item.message_sent') this.#messaged.add(event.data.item);
      else if (event.type === 'item.approval_requested') this.#requested.set(event.data.run, event.data);
      else if (event.type === 'run.extended') {
        if (event.data.cause === undefined) this.#addPart(event);
      } else if (event.type === 'item.decided') {
        this.#decided.set(event.data.run, event.data);
        const { item, decision, actor } = event.data;
        if (decision === 'approve') this.#approvals.set(item, { by: actor, seq: event.seq });
      }
    }
  }

  /**
   * Where the ledger and the manifest of a fired attempt contradict each other: who asked for what and when, and
   * whether it ran where it was authorised to. What the ledger does not tell (an attempt that never began, an end
   * without a posture) contradicts nothing.
   */
  *contradictions(event: Fired, manifest: AnyManifest): Iterable<string> {
    const { at, data: fired } = event;
    const submitted = this.#submitted;
    if (submitted !== undefined) {
      yield* differs('actor', manifest.actor, 'run.submitted', submitted.data.actor);
      yield* differs('submitted_at', manifest.submitted_at, 'run.submitted', submitted.at);
      yield* differs('workspace', manifest.workspace, 'run.submitted', submitted.data.workspace);
    }
    yield* differs('fired_at', manifest.fired_at, 'item.fired', at);
    const hasChannel = !isApprovalManifest(manifest) && manifest.channel === true;
    if (this.#messaged.has(fired.item) && !hasChannel)
      yield 'its item was sent messages, and its manifest says nothing of a channel';
    const requested = this.#requested.get(fired.run);
    if (isApprovalManifest(manifest)) {
      yield* this.#approvalContradictions(fired, manifest);
      return;
    }
    if (requested !== undefined)
      yield 'a person is asked to decide it, and its manifest is that of a program';
    yield* this.#authorizationContradictions(event, manifest);
    yield* this.#answerContradictions(event, manifest.answers ?? []);
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

  /** DI-194: it was decided before it was fired, about what it is, and lets it through. */
  *#authorizationContradictions(
    { seq, at, data }: Fired,
    { authorization, shape }: Manifest,
  ): Iterable<string> {
    if (authorization === undefined) {
      if (shape !== undefined) yield 'its manifest says what it may do, and nothing of who let it';
      return;
    }
    yield* differs('effect', authorization.effect, 'its shape', shape?.effect ?? 'unknown');
    if (authorization.at > at) yield 'it was fired before it was authorised';
    if (!letsThrough(authorization)) yield 'it was fired although its authorization does not let it through';
    const { approved_by: by } = authorization;
    if (by === undefined) return;
    const approval = this.#approvals.get(by);
    if (approval === undefined || approval.seq > seq)
      yield `its authorization rests on ${by}, which nobody had approved`;
    else if (approval.seq < (this.#added.get(data.item) ?? 0))
      yield `its authorization rests on ${by}, which was approved before it was added to the run`;
  }

  #addPart({ seq, data }: Extract<LedgerEvent, { readonly type: 'run.extended' }>): void {
    this.#authors.add(data.actor);
    for (const item of data.items) this.#added.set(item, seq);
  }

  #addAnswer({ item, request, request_hash, answer_hash }: EventData<'item.answered'>): void {
    const before = this.#answered.get(item) ?? [];
    if (before.length === 0) this.#answered.set(item, before);
    before.push({ request, request_hash, answer_hash });
  }

  /** Costs no more than the manifest is long, however often the item was answered. */
  *#answerContradictions({ seq, data }: Fired, authorised: readonly AnsweredRef[]): Iterable<string> {
    const told = this.#answeredBefore.get(seq) ?? 0;
    if (authorised.length !== told)
      yield `its manifest says ${authorised.length} answer(s), the ledger tells of ${told}`;
    else
      yield* differs(
        'answers',
        authorised,
        'item.answered',
        (this.#answered.get(data.item) ?? []).slice(0, told),
      );
  }

  *#approvalContradictions(fired: Fired['data'], manifest: ApprovalManifest): Iterable<string> {
    const requested = this.#requested.get(fired.run);
    if (requested === undefined) {
      yield 'its manifest asks a person to decide, and nobody was asked';
      return;
    }
    yield* differs('request', manifest.request, 'item.approval_requested', requested.request);
    yield* differs('on_expiry', manifest.on_expiry, 'item.approval_requested', requested.on_expiry);
    yield* differs(
      'expires_at',
      manifest.expires_at ?? null,
      'item.approval_requested',
      requested.expires_at ?? null,
    );
    const decided = this.#decided.get(fired.run);
    if (decided?.decision !== 'approve') return;
    if (manifest.four_eyes && this.#authors.has(decided.actor))
      yield `its manifest asks for a second person, and ${decided.actor} started the run or added to it`;
    for (const other of manifest.distinct_from)
      if (this.#approvals.get(other)?.by === decided.actor)
        yield `its manifest asks for somebody else than who approved ${other}, and ${decided.actor} did both`;
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
