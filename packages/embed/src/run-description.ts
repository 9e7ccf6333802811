import type { ItemView, RunView } from '@palisade/contracts';

/** A run with its items at one moment. */
export interface RunDescription {
  readonly run: RunView;
  readonly items: readonly ItemView[];
  /** Position of its newest event. */
  readonly last_seq: number;
}
