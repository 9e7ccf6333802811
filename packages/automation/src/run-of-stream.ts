const RUN_STREAM = 'run:';

/** The run whose events a stream of the journal holds; null for every other stream. */
export function runOfStream(stream: string): string | null {
  return stream.startsWith(RUN_STREAM) ? stream.slice(RUN_STREAM.length) : null;
}
