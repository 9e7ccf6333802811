import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  HarnessSessionId,
  Name,
  PalisadeError,
  type PresentedSession,
  SessionProof,
} from '@palisade/contracts';
import { withFileLock } from '@palisade/process';
import * as z from 'zod';
import { readPrivateFile, replacePrivateFile } from '../private-file.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { ChangePlace } from './pending-changes.ts';
import { placeDigest, SESSIONS } from './state-directory.ts';

/** A harness session as its client keeps it, from before it is registered until it is closed (AO-034). */
export const KeptSession = z.strictObject({
  format: z.literal(1),
  session_id: HarnessSessionId,
  proof: SessionProof,
  /** SHA-256 of the credential that it was registered with, hex: with no other it is good. */
  credential: z.string(),
  workstation_id: Name,
  harness: Name,
  capabilities: z.array(Name),
  subagent: z.strictObject({ project: Name, name: Name, parent_session: HarnessSessionId }).optional(),
});
export type KeptSession = z.infer<typeof KeptSession>;

const FILE_BYTES = 64 * 1024;

/**
 * The session that commands of one server, project and session name work in, in a file that only its owner reads (AO-033, AO-034). Others
 * that share the name wait while it is replaced.
 */
export class SessionFile {
  readonly path: string;
  /** What a session that is begun now belongs to. */
  readonly credential: string;
  readonly #place: ChangePlace;

  constructor(place: ChangePlace) {
    this.#place = place;
    this.credential = createHash('sha256').update(place.token).digest('hex');
    this.path = join(place.stateDirectory, SESSIONS, `${place.session}-${placeDigest(place)}.json`);
  }

  /** What is kept; undefined when there is none. Raises a UsageError for a file that is not what this writes, or that others reach. */
  read(): KeptSession | undefined {
    const text = readPrivateFile(this.path, FILE_BYTES);
    if (text === undefined) return undefined;
    try {
      return KeptSession.parse(JSON.parse(text));
    } catch {
      throw new UsageError(`${this.path} is no session that this program kept`, { next: 'take it away' });
    }
  }

  /**
   * What calls present; undefined where no session was begun. Raises `authentication_required` where it was begun with another credential:
   * presented with this one it is good for nothing.
   */
  presented(): PresentedSession | undefined {
    const kept = this.read();
    if (kept === undefined) return undefined;
    if (kept.credential !== this.credential)
      throw new PalisadeError(
        'authentication_required',
        `session ${kept.session_id} was begun with another credential`,
        {
          why: 'what is called here is called in that session',
          next: 'pal session start',
        },
      );
    return { session: kept.session_id, proof: kept.proof };
  }

  /** Keeps a session in place of another; it is on the disk when this returns. */
  keep(kept: KeptSession): void {
    replacePrivateFile(this.path, `${JSON.stringify(kept)}\n`);
  }

  forget(): void {
    rmSync(this.path, { force: true });
  }

  /** Runs `body` while no other process begins or ends the session. */
  async exclusively<T>(signal: AbortSignal, body: () => Promise<T>): Promise<T> {
    const directory = join(this.#place.stateDirectory, SESSIONS);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (!lstatSync(directory).isDirectory()) throw new UsageError(`${directory} is no directory`);
    const busy = `busy: session ${this.#place.session} is being begun or ended`;
    return withFileLock(`${this.path}.lock`, { busy, signal }, body);
  }
}
