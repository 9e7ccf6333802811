import type { RunResult } from './run.ts';

/** What takes the results of runs, whoever started them and carried them out (DI-085). */
export interface ResultSink {
  /**
   * Names it across restarts: 1 to 128 of letters, digits and `. _ : ~ @ -`. From the first time it is opened every run that
   * ends is kept for this name until it was taken.
   */
  readonly name: string;
  /**
   * Called once the end of a run is durable, with a result of its own. At least once for each run: again, later, when it
   * throws or the process dies before it resolved. Nothing it does changes the run or keeps anything else waiting.
   */
  collect(result: RunResult): void | Promise<void>;
}

/** A sink that prints one line of JSON for every run that ended; default: to standard output. */
export function printResults({
  name = 'print',
  stream = process.stdout,
}: {
  readonly name?: string;
  readonly stream?: NodeJS.WritableStream;
} = {}): ResultSink {
  return { name, collect: (result) => written(stream, `${JSON.stringify(summaryOf(result))}\n`) };
}

function summaryOf({ id, state, ok, reason, items }: RunResult): object {
  return {
    run: id,
    state,
    ok,
    reason,
    items: items.map((item) => ({
      id: item.id,
      state: item.state,
      attempts: item.attempts,
      exit_code: item.exitCode,
      failure: item.failure?.code ?? null,
      duration_ms: item.durationMs,
      patch: item.product.result_ref ?? null,
      outputs: item.outputs.map(({ path, ref }) => ({ path, ref })),
      usage: item.usage,
    })),
  };
}

/** Resolves when the stream has it. A reader that has gone is a rejection, not the end of the program. */
function written(stream: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('error', reject);
    stream.write(text, (error) => {
      // The event of a failed write comes after its callback.
      setImmediate(() => stream.removeListener('error', reject));
      if (error === null || error === undefined) resolve();
      else reject(error);
    });
  });
}
