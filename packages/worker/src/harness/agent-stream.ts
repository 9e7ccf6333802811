import type { AgentSession, HarnessEvent, Usage } from '@palisade/contracts';
import { LineSplitter } from '../output/line-splitter.ts';

/*
 * What coding agents print is lines of JSON, and all of it is the agent's word: any line may be missing,
 * cut, malformed, huge or invented. What is understood is shown and believed as far as it goes; what is
 * not is shown as it came and counted. Nothing a stream holds can fail the worker.
 */

/** What a vendor's stream told about the run, as far as it got. */
export interface AgentReport {
  /** The program told its end itself; without that a clean exit proves nothing (FF-122). */
  readonly isComplete: boolean;
  /** Why the agent says it failed; null when it does not say so. */
  readonly problem: string | null;
  readonly summary?: string;
  readonly usage?: Usage;
  readonly session?: AgentSession;
  readonly structured?: unknown;
  readonly warnings: readonly string[];
}

/** Reads the messages of one vendor. */
export interface AgentReader {
  /** Takes one message: whatever JSON stood in a line. */
  take(message: unknown): void;
  report(): AgentReport;
}

/** Feeds a reader from a program's output, and passes on what is not for it. */
export class AgentStream {
  readonly #reader: AgentReader;
  readonly #emit: (event: HarnessEvent) => void;
  readonly #lines = new LineSplitter((line) => this.#take(line));
  #malformed = 0;

  constructor(reader: AgentReader, emit: (event: HarnessEvent) => void) {
    this.#reader = reader;
    this.#emit = emit;
  }

  push(stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
    if (stream === 'stderr') this.#emit({ kind: 'output', stream, bytes });
    else this.#lines.push(Buffer.from(bytes));
  }

  /** What the stream told. Call it once, after the program's output has ended. */
  end(): AgentReport {
    this.#lines.end();
    const report = this.#reader.report();
    if (this.#malformed === 0) return report;
    const lines = this.#malformed === 1 ? 'one line' : `${this.#malformed} lines`;
    return { ...report, warnings: [...report.warnings, `${lines} of the agent's output could not be read`] };
  }

  #take(line: Buffer): void {
    const text = line.toString('utf8').trim();
    if (text === '') return;
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      this.#malformed++;
      this.#emit({ kind: 'output', stream: 'stdout', bytes: Buffer.concat([line, Buffer.from('\n')]) });
      return;
    }
    this.#reader.take(message);
  }
}
