import { PalisadeError } from '@palisade/contracts';
import { type PatchFile, statusOf } from './patch-file.ts';
import { pathText, unquote } from './path-text.ts';

/** A patch's part about one path: where it is and what it says. */
export interface PatchSection {
  readonly file: PatchFile;
  /** Bytes `[start, end)` of the patch. A type change has two parts in git; here they are one. */
  readonly start: number;
  readonly end: number;
}

/**
 * What a git patch changes, read from its bytes (FF-005, FF-010). Lines inside hunks are counted,
 * never searched, so text that looks like a header is text. `invalid_input` for bytes that are not
 * a git patch.
 */
export function summarisePatch(bytes: Uint8Array): PatchFile[] {
  return patchSections(bytes).map((section) => section.file);
}

/** The sections of a patch in order. */
export function patchSections(bytes: Uint8Array): PatchSection[] {
  const reader = new LineReader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const sections: PatchSection[] = [];
  while (reader.line !== null) {
    if (!reader.startsWith(DIFF)) {
      // Words before the first section (a mail header) are not part of it.
      if (sections.length > 0 && reader.line.length > 0) throw malformed(reader, 'expected a file header');
      reader.next();
      continue;
    }
    const section = readSection(reader);
    const last = sections.at(-1);
    if (
      last !== undefined &&
      last.file.path === section.file.path &&
      last.file.status === 'D' &&
      section.file.status === 'A'
    )
      sections[sections.length - 1] = joined(last, section);
    else sections.push(section);
  }
  return sections;
}

const DIFF = 'diff --git ';

/** Lines of a buffer, without their newline. */
class LineReader {
  readonly bytes: Buffer;
  line: Buffer | null = null;
  start = 0;
  #next = 0;
  number = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.next();
  }

  next(): void {
    this.start = this.#next;
    this.number++;
    if (this.#next >= this.bytes.length) {
      this.line = null;
      return;
    }
    const end = this.bytes.indexOf(10, this.#next);
    const stop = end === -1 ? this.bytes.length : end;
    this.line = this.bytes.subarray(this.#next, stop);
    this.#next = stop + 1;
  }

  /** Goes to the next line that starts with `prefix`, or to the end. */
  skipTo(prefix: string): void {
    const found = this.bytes.indexOf(`\n${prefix}`, this.start);
    this.#next = found === -1 ? this.bytes.length : found + 1;
    this.next();
  }

  startsWith(prefix: string): boolean {
    return this.line?.subarray(0, prefix.length).equals(Buffer.from(prefix)) ?? false;
  }

  /** The rest of the line behind `prefix`, or null. */
  after(prefix: string): Buffer | null {
    return this.line !== null && this.startsWith(prefix) ? this.line.subarray(prefix.length) : null;
  }
}

interface Header {
  path: Buffer | null;
  oldPath: Buffer | null;
  oldMode: string | null;
  newMode: string | null;
  status: 'R' | 'C' | null;
  isNew: boolean;
  isDeleted: boolean;
}

function readSection(reader: LineReader): PatchSection {
  const { start } = reader;
  const header: Header = {
    path: nameOfBoth(reader.after(DIFF) ?? Buffer.alloc(0)),
    oldPath: null,
    oldMode: null,
    newMode: null,
    status: null,
    isNew: false,
    isDeleted: false,
  };
  reader.next();
  let added = 0;
  let deleted = 0;
  let binary = false;
  while (reader.line !== null && !reader.startsWith(DIFF)) {
    if (reader.startsWith('@@ -')) {
      const counted = readHunk(reader);
      added += counted.added;
      deleted += counted.deleted;
      continue;
    }
    if (reader.startsWith('GIT binary patch')) {
      // Nothing in its data can be a header: those lines hold no blank. There may be millions of them.
      binary = true;
      reader.skipTo(DIFF);
      continue;
    }
    if (reader.startsWith('Binary files ')) binary = true;
    readHeaderLine(reader, header);
    reader.next();
  }
  if (header.path === null) throw malformed(reader, 'a section without a file name');
  const oldMode = header.isNew ? null : header.oldMode;
  const newMode = header.isDeleted ? null : (header.newMode ?? oldMode);
  return {
    file: {
      path: pathText(header.path),
      ...(header.oldPath === null ? {} : { oldPath: pathText(header.oldPath) }),
      status:
        header.status ??
        (header.isNew ? 'A' : header.isDeleted ? 'D' : statusOf(oldMode ?? '', newMode ?? '')),
      oldMode,
      newMode,
      added,
      deleted,
      binary,
    },
    start,
    end: reader.start,
  };
}

function readHeaderLine(reader: LineReader, header: Header): void {
  const mode = (prefix: string) => reader.after(prefix)?.toString('latin1').trim() ?? null;
  const newFile = mode('new file mode ');
  const gone = mode('deleted file mode ');
  const index = /^index [0-9a-f]+\.\.[0-9a-f]+ (\d{6})$/.exec(reader.line?.toString('latin1') ?? '');
  if (newFile !== null) {
    header.isNew = true;
    header.newMode = newFile;
  } else if (gone !== null) {
    header.isDeleted = true;
    header.oldMode = gone;
  } else if (index?.[1] !== undefined) {
    header.oldMode ??= index[1];
    header.newMode ??= index[1];
  }
  header.oldMode = mode('old mode ') ?? header.oldMode;
  header.newMode = mode('new mode ') ?? header.newMode;
  for (const [word, status] of [
    ['rename', 'R'],
    ['copy', 'C'],
  ] as const) {
    const from = reader.after(`${word} from `);
    const to = reader.after(`${word} to `);
    if (from !== null) header.oldPath = plainName(from);
    if (to !== null) {
      header.path = plainName(to);
      header.status = status;
    }
  }
}

/** The one name in `a/NAME b/NAME`; null when the two differ (a rename, which says its names in full). */
function nameOfBoth(rest: Buffer): Buffer | null {
  if (rest[0] === 0x22) {
    const first = unquote(rest, 0);
    if (rest[first.end] !== 0x20) return null;
    const second =
      rest[first.end + 1] === 0x22 ? unquote(rest, first.end + 1).name : rest.subarray(first.end + 1);
    return first.name.subarray(2).equals(second.subarray(2)) ? first.name.subarray(2) : null;
  }
  // Equal names make the line symmetric about its middle blank, whatever the name holds (FF-010).
  const middle = (rest.length - 1) / 2;
  if (!Number.isInteger(middle) || rest[middle] !== 0x20) return null;
  const first = rest.subarray(2, middle);
  return first.equals(rest.subarray(middle + 3)) ? first : null;
}

function plainName(bytes: Buffer): Buffer {
  return bytes[0] === 0x22 ? unquote(bytes, 0).name : bytes;
}

function readHunk(reader: LineReader): { added: number; deleted: number } {
  const match = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(reader.line?.toString('latin1') ?? '');
  if (match === null) throw malformed(reader, 'a malformed hunk header');
  let oldLeft = Number(match[1] ?? 1);
  let newLeft = Number(match[2] ?? 1);
  let added = 0;
  let deleted = 0;
  reader.next();
  while (oldLeft > 0 || newLeft > 0) {
    const first = reader.line === null ? undefined : (reader.line[0] ?? 0x20);
    if (first === 0x2b) {
      newLeft--;
      added++;
    } else if (first === 0x2d) {
      oldLeft--;
      deleted++;
    } else if (first === 0x20) {
      oldLeft--;
      newLeft--;
    } else if (first !== 0x5c) throw malformed(reader, 'a hunk shorter than its header says');
    reader.next();
  }
  if (oldLeft < 0 || newLeft < 0) throw malformed(reader, 'a hunk longer than its header says');
  while (reader.startsWith('\\ ')) reader.next();
  return { added, deleted };
}

function joined(gone: PatchSection, come: PatchSection): PatchSection {
  return {
    file: {
      path: come.file.path,
      status: 'T',
      oldMode: gone.file.oldMode,
      newMode: come.file.newMode,
      added: gone.file.added + come.file.added,
      deleted: gone.file.deleted + come.file.deleted,
      binary: gone.file.binary || come.file.binary,
    },
    start: gone.start,
    end: come.end,
  };
}

function malformed(reader: LineReader, what: string): PalisadeError {
  return new PalisadeError('invalid_input', `not a git patch: ${what} in line ${reader.number}`);
}
