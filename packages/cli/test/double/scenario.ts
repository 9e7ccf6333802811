import type { ErrorCode, EventView, InputIssue, ItemView, RequestView, RunView } from '@palisade/contracts';

/** A run as recorded: what it was at submission, and everything that happened to it. */
export interface RecordedRun {
  readonly run: RunView;
  readonly items: readonly ItemView[];
  /** `visible_ms`: how long after the start, or after the gate opened, the event can be seen; absent means at once. */
  readonly events: readonly (EventView & { readonly visible_ms?: number })[];
  readonly logs?: Readonly<Record<string, readonly unknown[]>>;
  readonly products?: readonly unknown[];
}

/** What the double answers from. One JSON file. */
export interface Scenario {
  readonly runs: readonly RecordedRun[];
  /** Operations that fail, by id; `times` counts down, absent means always. */
  readonly failures?: Readonly<
    Record<
      string,
      { code: ErrorCode; message: string; next?: string; times?: number; issues?: readonly InputIssue[] }
    >
  >;
  /** Answers of other operations, by id. */
  readonly answers?: Readonly<Record<string, unknown>>;
  /** What people are asked. */
  readonly requests?: readonly RequestView[];
  readonly blobs?: Readonly<Record<string, string>>;
  /** Text that the credential scan takes for a credential. */
  readonly credential?: string;
  /** A file that opens the gate when it appears; without one the gate is open from the start. */
  readonly gate?: string;
  /** True when there is no control plane. */
  readonly absent?: boolean;
  /** True when the files of the control plane are removed while it is used. */
  readonly vanishes?: boolean;
  /** True when the disk is full. */
  readonly readOnly?: boolean;
}
