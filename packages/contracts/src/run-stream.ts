const PREFIX = 'run:';

/** The stream every event of a root run and everything under it is appended to. */
export function runStream(rootRunId: string): string {
  return `${PREFIX}${rootRunId}`;
}

/** The root run whose events a stream of the journal holds; null for every other stream. */
export function runOfStream(stream: string): string | null {
  return stream.startsWith(PREFIX) ? stream.slice(PREFIX.length) : null;
}
