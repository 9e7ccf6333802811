import { limits, OutputLine, readLog, truncateText } from '@palisade/contracts';
import type { Calls } from './calls.ts';

/** What an item's agent printed. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

const PAGE_BYTES = 4 * 1024 * 1024;

/** An item's log, line by line from its start; of the last attempt unless another is asked for. */
export async function* logLines(
  calls: Calls,
  run: string,
  item: string,
  attempt?: number,
): AsyncGenerator<OutputLine, void, undefined> {
  for (let offset = 0; ; ) {
    const page = await calls.call(readLog, {
      run,
      item,
      offset,
      max_bytes: PAGE_BYTES,
      ...(attempt === undefined ? {} : { attempt }),
    });
    for (const line of page.lines) {
      const parsed = OutputLine.safeParse(line);
      if (parsed.success) yield parsed.data;
    }
    if (page.complete || page.next_offset === offset) return;
    offset = page.next_offset;
  }
}

/** The two streams of the agent, each within its bound and cut between characters (DI-077, DI-078). */
export async function printedBy(calls: Calls, run: string, item: string): Promise<Printed> {
  const printed = { stdout: '', stderr: '' };
  const most = { stdout: limits.stdoutBytes, stderr: limits.stderrBytes };
  for await (const line of logLines(calls, run, item)) {
    if (line.kind !== 'stdout' && line.kind !== 'stderr') continue;
    if (!line.block.startsWith('agent')) continue;
    // A little beyond the bound, so that the cut is seen to be one.
    if (printed[line.kind].length <= most[line.kind]) printed[line.kind] += `${line.text}\n`;
  }
  return {
    stdout: truncateText(printed.stdout, most.stdout),
    stderr: truncateText(printed.stderr, most.stderr),
  };
}
