import type { AttemptSpec, Harness, ModelAccess, ResumedSession, Sandbox } from '@palisade/contracts';
import type { WorkspaceHandle } from '@palisade/workspace';
import type { OutputLog } from '../output/output-log.ts';
import type { ProductScanner } from '../redaction/product-scanner.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { Shell } from '../script/shell.ts';
import type { Inbox } from './inbox.ts';
import type { AttemptReport } from './report.ts';
import type { Stop } from './stop.ts';

/** What every step of one attempt works with. */
export interface AttemptContext {
  readonly spec: AttemptSpec;
  /** Absolute path of the attempt's directory. */
  readonly attemptDir: string;
  /** What programs are given as variables. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The credential of the model endpoint. No program is given it. */
  readonly modelCredential: string | undefined;
  readonly log: OutputLog;
  readonly report: AttemptReport;
  readonly redactor: Redactor;
  readonly scanner: ProductScanner;
  readonly stop: Stop;
}

/** What an attempt gives its agent to go on with. */
export interface Resumption {
  /** Null for a new session. */
  readonly session: ResumedSession | null;
  /** What a coding agent is told in place of its task alone. */
  readonly prompt: string;
}

/** An attempt whose workspace and sandbox exist: programs can run. */
export interface RunningAttempt extends AttemptContext {
  readonly handle: WorkspaceHandle;
  readonly sandbox: Sandbox;
  /** The shell for scripts, found before the agent runs where there are any. */
  readonly shell: () => Promise<Shell>;
  readonly harness: Harness;
  /** The whole environment of every program of the attempt. */
  readonly env: Readonly<Record<string, string>>;
  readonly prompt: string | null;
  /** Where its agent finds messages; null for one that takes none. */
  readonly inbox: Inbox | null;
  /** The way to the agent's model, or null when the attempt has none. */
  readonly modelAccess: ModelAccess | null;
  /** What its agent goes on with the first time it runs; null for a new session. */
  readonly resumption: Resumption | null;
}
