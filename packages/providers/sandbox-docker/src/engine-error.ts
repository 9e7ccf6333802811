import { PalisadeError } from '@palisade/contracts';
import { errnoOfMessage } from '@palisade/sandbox-process';

/**
 * What went wrong with a request to the Docker engine. The engine's own words quote commands, environments
 * and paths, so only what kind of trouble they tell of is kept, and the words are forgotten.
 */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  /** Status of the answer, or null when there was none that could be understood. */
  readonly status: number | null;
  /**
   * A system error name: of the connection when there was no answer, else the one the engine told of.
   * `UNSEEN_PATH`: a path to be mounted is not on the engine's machine. Null when nothing was recognised.
   */
  readonly code: string | null;

  constructor(request: string, status: number | null, code: string | null) {
    super(
      status === null
        ? `the Docker engine gave no usable answer to ${request} (${code ?? 'connection lost'})`
        : `the Docker engine answered ${request} with status ${status}`,
    );
    this.status = status;
    this.code = code;
  }

  /** As it may cross the room's door. */
  toPalisade(): PalisadeError {
    return new PalisadeError('provider_failed', this.message);
  }
}

/** The kind of trouble an engine's message tells of, or null. runc writes system messages in lower case. */
export function codeOfMessage(message: string): string | null {
  if (/bind source path does not exist/i.test(message)) return 'UNSEEN_PATH';
  if (/executable file not found/i.test(message)) return 'ENOENT';
  return errnoOfMessage(message.replace(/: ([a-z])/g, (_, letter: string) => `: ${letter.toUpperCase()}`));
}

/** The name of a connection's error, never its text. */
export function codeOfError(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : null;
}
