import type { Database, NearClock } from '@palisade/kernel';

export interface JobDeps {
  readonly database: Database;
  readonly clock: Pick<NearClock, 'now'>;
  /** Raises `credential_in_text` when text looks like it holds a credential (DI-048). */
  readonly scanText: (text: string, place: string) => void;
}
