import { PalisadeError } from './errors.ts';

/*
 * Run (EX-083). `queued`: admitted, nothing started. `provisioning`: a worker is being prepared.
 * `running`: the harness works. `waiting`: parked for a reason. The rest are terminal and never a
 * source. Anybody entitled may cancel; only the holder of the run's lease moves it otherwise.
 */
const runTransitions = {
  provision: { from: ['queued'], to: 'provisioning' },
  start: { from: ['provisioning', 'queued'], to: 'running' },
  wait: { from: ['running'], to: 'waiting' },
  resume: { from: ['waiting'], to: 'running' },
  complete: { from: ['running'], to: 'completed' },
  cancel: { from: ['queued', 'provisioning', 'running', 'waiting'], to: 'canceled' },
  fail: { from: ['queued', 'provisioning', 'running', 'waiting'], to: 'failed' },
  timeout: { from: ['queued', 'provisioning', 'running', 'waiting'], to: 'timed_out' },
  exhaust_budget: { from: ['running', 'waiting'], to: 'budget_exceeded' },
} as const;

export type RunState =
  | 'queued'
  | 'provisioning'
  | 'running'
  | 'waiting'
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'timed_out'
  | 'budget_exceeded';
export type RunTransition = keyof typeof runTransitions;
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

/** The state after `transition`, or `invalid_state` when the machine has no such arc (EX-082). */
export function nextRunState(state: RunState, transition: RunTransition): RunState {
  const rule: { readonly from: readonly RunState[]; readonly to: RunState } = runTransitions[transition];
  if (!rule.from.includes(state))
    throw new PalisadeError('invalid_state', `a run that is ${state} cannot ${transition}`);
  return rule.to;
}

/*
 * Plan item (DI-165). `pending`: a dependency is not finished. `ready`: may start when a slot and
 * its locks are free. `running`: an attempt is under way (its intent is committed). The rest are
 * terminal. `running → ready` is a retry; `skipped` follows a dependency that did not end `done`.
 */
const itemTransitions = {
  pending: ['ready', 'skipped', 'canceled', 'denied'],
  ready: ['running', 'failed', 'skipped', 'canceled', 'denied'],
  running: ['done', 'failed', 'ready', 'canceled'],
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

/** How one attempt ended. `lost`: its worker vanished without a result. */
export type AttemptOutcome = 'succeeded' | 'failed' | 'timed_out' | 'canceled' | 'lost';
