import * as z from 'zod';
import { PalisadeError } from './errors.ts';
import { limits } from './limits.ts';
import { assertSafePaths } from './safe-path.ts';
import { Name } from './schema.ts';

/*
 * A capability bundle (DI-041), one value of bytes, so that equal content has one address:
 *
 *   {"name":<name>,"entries":[{"path":<path>,"size":<bytes>,"executable":true?},…]}\n
 *   the files' bytes, one after another in the order of the entries
 *
 * Entries are sorted by path (UTF-16 code units). `executable` is present only when true. The header
 * is the one text that JSON.stringify gives for it; any other spelling of the same header is refused.
 */

/** A file in a bundle. `bytes` of a decoded file is a view into the bundle. */
export interface BundleFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

export interface Bundle {
  readonly name: string;
  readonly files: readonly BundleFile[];
}

const Header = z.strictObject({
  name: Name,
  entries: z.array(
    z.strictObject({
      path: z.string(),
      size: z.int().nonnegative(),
      executable: z.literal(true).optional(),
    }),
  ),
});

/**
 * Encodes files as a bundle. Deterministic: the order files are given in does not matter. Raises
 * `unsafe_path` for a path that could leave the workspace or collide, `too_large` above
 * the capability limits of {@link limits}.
 */
export function encodeBundle(name: string, files: readonly BundleFile[]): Buffer {
  if (files.length > limits.capabilityEntries) throw tooLarge(name);
  let content = 0;
  for (const file of files) {
    content += file.bytes.byteLength;
    if (content > limits.capabilityBytes) throw tooLarge(name);
  }
  assertSafePaths(files.map((file) => file.path));
  const sorted = [...files].sort(byPath);
  const header = headerLine(name, sorted);
  const size = header.byteLength + content;
  if (size > limits.capabilityBytes || header.byteLength > limits.capabilityHeaderBytes) throw tooLarge(name);
  return Buffer.concat([header, ...sorted.map((file) => file.bytes)], size);
}

/**
 * Decodes a bundle, trusting nothing: `invalid_input` for anything {@link encodeBundle} would not have
 * written, `unsafe_path` and `too_large` as there. Decode then encode gives the same bytes.
 */
export function decodeBundle(bytes: Uint8Array): Bundle {
  if (bytes.byteLength > limits.capabilityBytes) throw tooLarge('capability');
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const newline = buffer.indexOf(0x0a);
  if (newline < 0) throw malformed('its header line has no end');
  // Bounded before it is parsed: a header of nothing but entries costs far more memory than its bytes.
  if (newline >= limits.capabilityHeaderBytes) throw tooLarge('capability');
  const { name, entries } = parseHeader(buffer.toString('utf8', 0, newline));
  if (entries.length > limits.capabilityEntries) throw tooLarge(name);
  assertSafePaths(entries.map((entry) => entry.path));
  const files: BundleFile[] = [];
  let at = newline + 1;
  for (const entry of entries) {
    if (entry.size > buffer.byteLength - at) throw malformed('it ends before its last file does');
    files.push({
      path: entry.path,
      bytes: buffer.subarray(at, at + entry.size),
      executable: entry.executable === true,
    });
    at += entry.size;
  }
  if (at !== buffer.byteLength) throw malformed('bytes follow its last file');
  if (!isSorted(files)) throw malformed('its entries are not sorted by path');
  // Byte equality refuses other spellings: escapes, blanks, member order, repeated members, bad UTF-8.
  if (!headerLine(name, files).equals(buffer.subarray(0, newline + 1)))
    throw malformed('its header is not in the one form');
  return { name, files };
}

function headerLine(name: string, files: readonly BundleFile[]): Buffer {
  const entries = files.map(({ path, bytes, executable }) => ({
    path,
    size: bytes.byteLength,
    ...(executable ? { executable: true } : {}),
  }));
  return Buffer.from(`${JSON.stringify({ name, entries })}\n`, 'utf8');
}

function parseHeader(text: string): z.output<typeof Header> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed('its header is not JSON');
  }
  const header = Header.safeParse(value);
  if (!header.success) throw malformed('its header has other members than a bundle has');
  return header.data;
}

function byPath(a: BundleFile, b: BundleFile): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

function isSorted(files: readonly BundleFile[]): boolean {
  return files.every((file, i) => i === 0 || (files[i - 1]?.path ?? '') < file.path);
}

function malformed(why: string): PalisadeError {
  return new PalisadeError('invalid_input', `not a capability bundle: ${why}`);
}

function tooLarge(name: string): PalisadeError {
  return new PalisadeError(
    'too_large',
    `the bundle ${JSON.stringify(name)} has more than ${limits.capabilityBytes} bytes, ${limits.capabilityEntries} files or a header of ${limits.capabilityHeaderBytes} bytes`,
  );
}
