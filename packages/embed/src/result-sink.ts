import type { RunResult } from './run.ts';

/** What takes the results of runs, whoever started them and carried them out (DI-085). */
export interface ResultSink {
  /**
   * Names it across restarts: 1 to 128 of letters, digits and `. _ : ~ @ -`. From the first time it is opened the result of
   * every run that ends waits for this name until it was taken, or until the operator's retention takes the run itself,
   * which `onFault` is told of.
   */
  readonly name: string;
  /**
   * Called once the end of a run is durable, with a result of its own. At least once for each run: again, later, when it
   * throws, whatever it throws, or the process ends before it resolved. As long as it works, no other process that has opened its
   * name is given the run. Nothing it does changes the run or keeps anything else waiting.
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
