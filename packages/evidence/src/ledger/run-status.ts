import type { EventData } from '@palisade/contracts';

/** How the items of a run ended, as far as its own end follows from it. */
export interface RunEnds {
  readonly items: number;
  /** Those that are done, or for which another one's good end counts. */
  readonly good: number;
  /** A done item left a negative verdict that nothing made up for. */
  readonly hasRed: boolean;
  /** More could have been added. */
  readonly isOpen: boolean;
  readonly canceled: number;
  /** A limit of the run ended it. */
  readonly isOverBudget: boolean;
  /** Somebody asked for the end of the whole run. */
  readonly isCancelRequested: boolean;
}

/**
 * How a run ended follows from how its items did: `completed` only when every one is good; else `canceled`
 * exactly when something was canceled and somebody had asked for it; else `budget_exceeded` only when something was
 * canceled and a limit had ended the run; else `failed`, or `timed_out` when something was canceled. A run whose items are all good is `failed` only behind a red gate, and ends otherwise
 * only while more could have been added. Null when the status is such.
 */
export function statusProblem(status: EventData<'run.completed'>['status'], ends: RunEnds): string | null {
  const { items, good, hasRed, isOpen, canceled, isOverBudget, isCancelRequested } = ends;
  if (status === 'completed') {
    if (good < items) return `${items - good} of ${items} item(s) did not end done`;
    return isOpen ? 'more could have been added to it' : null;
  }
  if (good === items && !(hasRed && status === 'failed')) {
    if (!isOpen) return 'every item ended done';
    return status !== 'canceled' || isCancelRequested ? null : 'nobody asked for the end of the run';
  }
  if (canceled === 0) return status === 'failed' ? null : 'no item was canceled';
  if (status === 'canceled') return isCancelRequested ? null : 'nobody asked for the end of the run';
  if (status === 'budget_exceeded' && !isOverBudget) return 'no limit had ended the run';
  if (status === 'timed_out' && isOverBudget) return 'a limit had ended the run before';
  return isCancelRequested ? "the run's end was asked for and items were canceled" : null;
}
