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
  readonly subject: string;
  readonly body: string;
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

/** Reads the output of `git log`, piece by piece, and hands over each commit when it is whole. */
export class LogReader {
  readonly #onCommit: (commit: LoggedCommit) => void;
  /** What has come of the field that is being read. */
  #rest: Uint8Array[] = [];
  #header: Buffer[] = [];
  /** Fields that belong to the entry being read, its own first. */
  #entry: Buffer[] = [];
  #changes: LoggedChange[] = [];

  constructor(onCommit: (commit: LoggedCommit) => void) {
    this.#onCommit = onCommit;
  }

  push(piece: Uint8Array): void {
    if (!piece.includes(0)) {
      this.#rest.push(Buffer.from(piece));
      return;
    }
    const bytes = Buffer.concat([...this.#rest, piece]);
    let start = 0;
    for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
      this.#field(bytes.subarray(start, end));
      start = end + 1;
    }
    this.#rest = [bytes.subarray(start)];
  }

  /** To be called once, at the end of the output. */
  end(): void {
    this.#finish();
  }

  #field(field: Buffer): void {
    if (this.#header.length > 0 && this.#header.length < HEADER_FIELDS) {
      this.#header.push(field);
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
    this.#changes.push({
      kind: KINDS[status] ?? 'modified',
      path: pathText(second ?? first),
      from: status === 'R' ? pathText(first) : undefined,
    });
    this.#entry = [];
  }

  #finish(): void {
    const [sha, parents, name, email, time, message] = this.#header.map((field) => field.toString('utf8'));
    if (sha !== undefined && message !== undefined) {
      const text = message.trim();
      const cut = text.indexOf('\n');
      this.#onCommit({
        sha,
        parents: parents === undefined || parents === '' ? [] : parents.split(' '),
        authorName: name ?? '',
        authorEmail: email ?? '',
        committedAt: Number(time) * 1_000,
        subject: (cut === -1 ? text : text.slice(0, cut)).trim(),
        body: cut === -1 ? '' : text.slice(cut + 1).trim(),
        changes: this.#changes,
      });
    }
    this.#header = [];
    this.#changes = [];
  }
}
