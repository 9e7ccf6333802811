import { PalisadeError } from './errors.ts';

/*
 * Run (EX-083). `queued`: admitted, nothing started. `provisioning`: a worker is being prepared; a run that
 * needs none starts at once. `running`: the harness works. `waiting`: parked for a reason. The rest are
 * terminal and never a source. Anybody entitled may cancel; only the holder of the run's lease moves it otherwise.
 */
const runTransitions = {
  queued: ['provisioning', 'running', 'canceled', 'failed', 'timed_out'],
  provisioning: ['running', 'canceled', 'failed'],
  running: ['waiting', 'completed', 'canceled', 'failed', 'timed_out', 'budget_exceeded'],
  waiting: ['running', 'canceled', 'failed', 'timed_out', 'budget_exceeded'],
  completed: [],
  failed: [],
  canceled: [],
  timed_out: [],
  budget_exceeded: [],
} as const satisfies Record<string, readonly string[]>;

export type RunState = keyof typeof runTransitions;
export const RUN_STATES: readonly RunState[] = [
  'queued',
  'provisioning',
  'running',
  'waiting',
  'completed',
  'failed',
  'canceled',
  'timed_out',
  'budget_exceeded',
];
export const RUN_TERMINAL: ReadonlySet<RunState> = new Set([
  'completed',
  'failed',
  'canceled',
  'timed_out',
  'budget_exceeded',
] as const);

/** Throws `invalid_state` unless a run may go from `from` to `to` (EX-082). */
export function assertRunTransition(from: RunState, to: RunState): void {
  const allowed: readonly string[] = runTransitions[from];
  if (!allowed.includes(to))
    throw new PalisadeError('invalid_state', `a run that is ${from} cannot become ${to}`);
}

/*
 * Plan item (DI-165). `pending`: a dependency is not finished. `ready`: may start when a slot and
 * its locks are free. `running`: an attempt is under way (its intent is committed). The rest are
 * terminal. `running → ready` is a retry; `skipped` follows a dependency that did not end `done`.
 * `needs_input`: a person is asked; no attempt is under way, no slot and no lock is held. A question
 * that is answered makes the item `ready` again; an approval, which comes from `ready` because no
 * program runs for it, ends it.
 */
const itemTransitions = {
  pending: ['ready', 'skipped', 'canceled', 'denied'],
  ready: ['running', 'needs_input', 'failed', 'canceled', 'denied'],
  running: ['done', 'failed', 'ready', 'needs_input', 'canceled'],
  needs_input: ['ready', 'done', 'failed', 'canceled', 'denied'],
  done: [],
  failed: [],
  skipped: [],
  canceled: [],
  denied: [],
} as const satisfies Record<string, readonly string[]>;

export type ItemState = keyof typeof itemTransitions;
export const ITEM_STATES: readonly ItemState[] = [
  'pending',
  'ready',
  'running',
  'needs_input',
  'done',
  'failed',
  'skipped',
  'canceled',
  'denied',
];
/** A count for every item state, all zero. */
export function noItems(): Record<ItemState, number> {
  return Object.fromEntries(ITEM_STATES.map((state) => [state, 0])) as Record<ItemState, number>;
}

/** The one terminal set (DI-165 BETTER). */
export const ITEM_TERMINAL: ReadonlySet<ItemState> = new Set([
  'done',
  'failed',
  'skipped',
  'canceled',
  'denied',
] as const);

/** Throws `invalid_state` unless an item may go from `from` to `to`. */
export function assertItemTransition(from: ItemState, to: ItemState): void {
  const allowed: readonly string[] = itemTransitions[from];
  if (!allowed.includes(to))
    throw new PalisadeError('invalid_state', `an item that is ${from} cannot become ${to}`);
}

/** How one attempt ended. `lost`: its worker vanished without a result. `needs_input`: it ended with a question (DI-119). */
export type AttemptOutcome = 'succeeded' | 'failed' | 'timed_out' | 'canceled' | 'lost' | 'needs_input';
