import type { Operation, OperationCaller } from '@palisade/contracts';
import type { Config } from './config/config.ts';
import type { Connections, ControlPlane } from './control-plane.ts';
import type { Manner } from './output/manner.ts';
import type { RowStyle } from './output/row.ts';
import type { Sink } from './output/sink.ts';

export type Format = 'text' | 'json' | 'ndjson' | 'tsv' | 'md' | 'id';

/** Everything decided once about how this command line talks. */
export interface Settings {
  readonly format: Format;
  /** Fields picked with `--json=a,b`; undefined means all. */
  readonly fields: readonly string[] | undefined;
  readonly manner: Manner;
  readonly isAccessible: boolean;
  /** False with `--no-input`: nothing is asked, and nothing is done that was not asked for. */
  readonly isInput: boolean;
  /** Whether a question may be asked. */
  readonly mayAsk: boolean;
  readonly isVerbose: boolean;
  readonly isQuiet: boolean;
  readonly times: 'local' | 'utc';
  readonly style: RowStyle;
  readonly errorStyle: RowStyle;
}

/** The three streams of a command line. */
export interface Io {
  readonly stdin: NodeJS.ReadStream;
  readonly out: Sink;
  readonly err: Sink;
}

/** One run of the command line: its streams, settings and connection. */
export interface Invocation extends Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute directory the command works in. */
  readonly directory: string;
  readonly settings: Settings;
  readonly config: Config;
  readonly actor: string;
  readonly idempotencyKey: string;
  /** Whether somebody chose the key, and so can ask again with it. */
  readonly isKeyGiven: boolean;
  readonly isDryRun: boolean;
  /** `{ dry_run: true }` for the input of a mutation that is only to be rehearsed, else nothing. */
  readonly rehearsed: { readonly dry_run?: true };
  readonly connections: Connections;
  /** Aborts on the first interrupt. */
  readonly interrupted: AbortSignal;
  /** Opens the control plane of this project once; `not_initialized` when there is none. */
  controlPlane(): Promise<ControlPlane>;
  /** Calls an operation; temporary failures are retried with back-off and said once. */
  call: OperationCaller['call'];
  /** Runs another command line within an invocation, as if it had been typed there. */
  typed(words: readonly string[], within: Invocation): Promise<number>;
  /** At most two hints after a result; silent with `-q`. */
  hint(...commands: readonly string[]): void;
}

export type Output<Op extends Operation> = Op['output']['_zod']['output'];
export type Input<Op extends Operation> = Op['input']['_zod']['input'];
