import { isPalisadeError, PalisadeError } from '@palisade/contracts';

/**
 * A change of a checkout failed half way and the files could not be put back. What they held before
 * is kept in {@link keptIn}; `next` says how to get it out. A caller that stored the record of the
 * application must not forget it.
 */
export class NotPutBack extends PalisadeError {
  /** Folder with the only copy of uncommitted content. Nothing of ours removes it. */
  readonly keptIn: string;

  constructor(message: string, details: { why: string; next: string; cause: unknown; keptIn: string }) {
    super('target_dirty', message, details);
    this.keptIn = details.keptIn;
  }
}

/** True for {@link NotPutBack}, also of another copy of this module. */
export function isNotPutBack(error: unknown): error is NotPutBack {
  return isPalisadeError(error, 'target_dirty') && 'keptIn' in error;
}
