import { pathText } from '@palisade/workspace';

/** One file of one commit. */
export interface LoggedChange {
  readonly kind: 'added' | 'modified' | 'deleted' | 'renamed';
  readonly path: string;
  /** What it was called before, of a rename. */
  readonly from: string | undefined;
}

export interface LoggedCommit {
  readonly sha: string;
  readonly parents: readonly string[];
  readonly authorName: string;
  readonly authorEmail: string;
  /** Unix ms. */
  readonly committedAt: number;
  /** Of a message whose beginning is kept what there is of them in it. */
  readonly subject: string;
  readonly body: string;
  /** UTF-16 units of the message that are in neither. */
  readonly omitted: number;
  readonly changes: readonly LoggedChange[];
}

/** Arguments of `git log` whose output {@link LogReader} reads. Fields end in NUL, so no text can look like another (L-01). */
const LOG_ARGUMENTS = [
  'log',
  '--topo-order',
  '--reverse',
  '-z',
  '--raw',
  '--root',
  '--diff-merges=off',
  '--no-abbrev',
  '--no-ext-diff',
  '--no-textconv',
  '--no-show-signature',
  '--encoding=UTF-8',
  '--format=tformat:%x02%H%x00%P%x00%aN%x00%aE%x00%ct%x00%B%x00',
] as const;

/**
 * Of a commit the files are told, not their lines: trees are compared, and contents only to find what was renamed and changed at once.
 * `isPartial` leaves that out too: contents may be missing.
 */
export function logArguments(isPartial: boolean): [string, ...string[]] {
  return [...LOG_ARGUMENTS, isPartial ? '--find-renames=100%' : '--find-renames'];
}

/** Most that is gathered of a field, in bytes: git bounds none of them, and what is beyond is passed over. */
const FIELD_BYTES = 131_072;
/** Longest name of a file that a work tree can hold. Changes to what has a longer one are left out. */
const PATH_BYTES = 4095;

const HEADER_FIELDS = 6;
const NEWLINE = 0x0a;
const SPACE = 0x20;
const START = 0x02;

const KINDS: Readonly<Record<string, LoggedChange['kind']>> = {
  A: 'added',
  D: 'deleted',
  R: 'renamed',
  C: 'added',
};

/**
 * Reads the output of `git log`, piece by piece, and hands over each commit when it is whole. What it holds does not
 * grow with a field, its time is linear in the bytes.
 */
export class LogReader {
  readonly #onCommit: (commit: LoggedCommit) => void;
  /** What is kept of the field that is being read. */
  #pieces: Buffer[] = [];
  #room = FIELD_BYTES;
  /** UTF-16 units of that field that are not kept. */
  #omitted = 0;
  #header: Buffer[] = [];
  #omittedOfMessage = 0;
  /** Fields that belong to the entry being read, its own first. */
  #entry: Buffer[] = [];
  #changes: LoggedChange[] = [];

  constructor(onCommit: (commit: LoggedCommit) => void) {
    this.#onCommit = onCommit;
  }

  /** The piece is not to be written to afterwards. */
  push(piece: Uint8Array): void {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let start = 0;
    for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
      this.#gather(bytes.subarray(start, end));
      const [first, ...others] = this.#pieces;
      this.#field(first !== undefined && others.length === 0 ? first : Buffer.concat(this.#pieces));
      this.#pieces = [];
      this.#room = FIELD_BYTES;
      this.#omitted = 0;
      start = end + 1;
    }
    this.#gather(bytes.subarray(start));
  }

  /** To be called once, at the end of the output. */
  end(): void {
    this.#finish();
  }

  #gather(bytes: Buffer): void {
    if (this.#room > 0 && bytes.length > 0) this.#pieces.push(bytes.subarray(0, this.#room));
    if (bytes.length > this.#room) this.#omitted += unitsOf(bytes.subarray(this.#room));
    this.#room = Math.max(0, this.#room - bytes.length);
  }

  #field(field: Buffer): void {
    if (this.#header.length > 0 && this.#header.length < HEADER_FIELDS) {
      this.#header.push(field);
      this.#omittedOfMessage = this.#omitted;
      return;
    }
    if (this.#entry.length > 0) {
      this.#entry.push(field);
      this.#completed();
      return;
    }
    // The first entry of a commit stands on a line of its own.
    const own = field[0] === NEWLINE ? field.subarray(1) : field;
    if (own.length === 0) return;
    if (own[0] === START) {
      this.#finish();
      this.#header = [own.subarray(1)];
    } else {
      this.#entry = [own];
      this.#completed();
    }
  }

  /** Takes the entry when all its paths have come. */
  #completed(): void {
    const [own, first, second] = this.#entry;
    if (own === undefined) return;
    const status = String.fromCharCode(own[own.lastIndexOf(SPACE) + 1] ?? 0);
    const hasTwo = status === 'R' || status === 'C';
    if (first === undefined || (hasTwo && second === undefined)) return;
    const path = nameOf(second ?? first);
    const from = status === 'R' ? nameOf(first) : undefined;
    if (path !== undefined) {
      const kind = status === 'R' && from === undefined ? 'added' : (KINDS[status] ?? 'modified');
      this.#changes.push({ kind, path, from });
    } else if (from !== undefined) this.#changes.push({ kind: 'deleted', path: from, from: undefined });
    this.#entry = [];
  }

  #finish(): void {
    const [sha, parents, name, email, time, message] = this.#header.map((field) => field.toString('utf8'));
    if (sha !== undefined && message !== undefined) {
      const text = message.trim();
      const cut = text.indexOf('\n');
      this.#onCommit({
        sha,
        parents: (parents ?? '').split(' ').filter((parent) => parent.length === sha.length),
        authorName: name ?? '',
        authorEmail: email ?? '',
        committedAt: Number(time) * 1_000,
        subject: (cut === -1 ? text : text.slice(0, cut)).trim(),
        body: cut === -1 ? '' : text.slice(cut + 1).trim(),
        omitted: this.#omittedOfMessage,
        changes: this.#changes,
      });
    }
    this.#header = [];
    this.#changes = [];
  }
}

/** The text form of a name; undefined of one that is too long to be kept. */
function nameOf(field: Buffer): string | undefined {
  return field.length > PATH_BYTES ? undefined : pathText(field);
}

/** Of UTF-8, how many units of UTF-16 it is: one for each character, two for one of four bytes. */
function unitsOf(bytes: Buffer): number {
  let units = 0;
  for (const byte of bytes) if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
  return units;
}
