import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Fields } from '../events.ts';
import { isFields } from '../harnesses/fields.ts';
import { MAX_LINE_BYTES } from '../reading/line-reader.ts';
import { regularFacts, smallText } from '../reading/regular-file.ts';
import type { Facts, Place } from '../reading/source.ts';
import { type SessionStore, type StoredMessage, StoredSession, type StoredText } from './stored-session.ts';

/*
 * OpenCode before version 1.2: below `storage`, one JSON file for each session, message and part of a message, as
 * `session/PROJECT/SESSION.json`, `message/SESSION/MESSAGE.json` and `part/MESSAGE/PART.json`.
 */

/** A session of which `path` is the file in `session/PROJECT`. */
export function sessionFilesPlace(path: string): Place {
  return {
    path,
    facts: () => new SessionFiles(path).facts,
    open: () => {
      const files = new SessionFiles(path);
      files.load();
      return new StoredSession(files);
    },
  };
}

class SessionFiles implements SessionStore {
  readonly facts: Facts;
  readonly messages: readonly StoredMessage[];
  info: Fields = {};
  readonly #path: string;
  readonly #storage: string;
  readonly #session: string;

  constructor(path: string) {
    this.#path = path;
    this.#storage = dirname(dirname(dirname(path)));
    this.#session = basename(path, '.json');
    const own = regularFacts(path);
    // Names begin with the time they were given at.
    this.messages = namesIn(join(this.#storage, 'message', this.#session)).map((name) =>
      this.#message(basename(name, '.json')),
    );
    this.facts = {
      file: own.file,
      size: this.messages.reduce((sum, { bytes }) => sum + bytes, own.size),
      modifiedAt: this.messages.reduce(
        (latest, { changedAt }) => Math.max(latest, changedAt),
        own.modifiedAt,
      ),
    };
  }

  /** Reads what the session says of itself. Errors: those of reading, and for what is no JSON object. */
  load(): void {
    const text = smallText(this.#path, MAX_LINE_BYTES);
    const info: unknown = text === undefined ? undefined : JSON.parse(text);
    if (!isFields(info)) throw new Error(`${this.#path} is no session`);
    this.info = info;
  }

  *texts(id: string): Generator<StoredText> {
    for (const path of this.#files(id)) yield textOf(path);
  }

  [Symbol.dispose](): void {
    // Nothing is kept open.
  }

  #files(id: string): readonly string[] {
    const parts = join(this.#storage, 'part', id);
    return [
      join(this.#storage, 'message', this.#session, `${id}.json`),
      ...namesIn(parts).map((name) => join(parts, name)),
    ];
  }

  #message(id: string): StoredMessage {
    const facts = this.#files(id).map(regularFacts);
    return {
      id,
      bytes: facts.reduce((sum, { size }) => sum + size, 0),
      changedAt: facts.reduce((latest, { modifiedAt }) => Math.max(latest, modifiedAt), 0),
    };
  }
}

function textOf(path: string): StoredText {
  return { bytes: regularFacts(path).size, text: smallText(path, MAX_LINE_BYTES) };
}

/** Regular JSON files only, by their names. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
      .map(({ name }) => name)
      .toSorted();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
