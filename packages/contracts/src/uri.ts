import { isContentHash, type ContentHash } from './canonical-json.ts';
import { PalisadeError } from './errors.ts';
import { isName } from './ids.ts';

/** What an address may name (DI-011). `dispatches` is not among them: it has its own form. */
export const URI_TYPES = [
  'capability',
  'agent',
  'env',
  'pipeline',
  'artifact',
  'manifest',
  'approval',
] as const;
export type UriType = (typeof URI_TYPES)[number];

/** `palisade://<project>/<type>/<name>[/<hash>]`: with a hash it is pinned to content, without it names the latest (DI-010). */
export interface BlobUri {
  readonly project: string;
  readonly type: UriType;
  readonly name: string;
  readonly hash?: ContentHash;
}

/** `palisade://<project>/dispatches/<id>[/<suffix>]`: a record that is replaced, not addressed by content (DI-012). */
export interface RecordUri {
  readonly project: string;
  readonly id: string;
  /** `/`-separated, each segment a name, e.g. `undelivered/run.completed.json`. */
  readonly suffix?: string;
}

const SCHEME = 'palisade://';
/** The scheme of addresses written before the product had its name; read, never written. */
const OLD_SCHEME = 'pangolin://';
const OLD_TYPES: Readonly<Record<string, UriType>> = { subagent: 'agent' };

/**
 * Parses an address of content or of a name. `buildUri(parseUri(text)) === text` for every accepted
 * `palisade://` text. Nothing is unescaped or normalised: a segment that is not a plain name (empty,
 * `.`, `..`, `/`, control characters, `%`, `?`, `#`, U+001F) is refused with `invalid_input` (DI-015).
 */
export function parseUri(text: string): BlobUri {
  const { segments, isOld } = split(text);
  const [project = '', typeText = '', name = '', hash] = segments;
  if (segments.length < 3 || segments.length > 4) throw malformed('must have 3 or 4 segments');
  const type = isOld ? (OLD_TYPES[typeText] ?? typeText) : typeText;
  return checked({ project, type, name, ...(hash === undefined ? {} : { hash }) });
}

/** The text of an address; the same checks as {@link parseUri}, so that no value can smuggle a segment. */
export function buildUri(uri: BlobUri): string {
  const { project, type, name, hash } = checked(uri);
  return `${SCHEME}${project}/${type}/${name}${hash === undefined ? '' : `/${hash}`}`;
}

/** Parses either kind of address; for storage and retention only (DI-012). */
export function parseStorageUri(
  text: string,
): ({ readonly kind: 'blob' } & BlobUri) | ({ readonly kind: 'record' } & RecordUri) {
  const { segments } = split(text);
  if (segments[1] !== 'dispatches') return { kind: 'blob', ...parseUri(text) };
  const [project = '', , id = '', ...rest] = segments;
  const suffix = rest.length === 0 ? {} : { suffix: rest.join('/') };
  return { kind: 'record', ...checkedRecord({ project, id, ...suffix }) };
}

/** The text of a record's address (DI-012). */
export function buildRecordUri(uri: RecordUri): string {
  const { project, id, suffix } = checkedRecord(uri);
  return `${SCHEME}${project}/dispatches/${id}${suffix === undefined ? '' : `/${suffix}`}`;
}

function split(text: string): { readonly segments: string[]; readonly isOld: boolean } {
  const isOld = text.startsWith(OLD_SCHEME);
  if (!isOld && !text.startsWith(SCHEME)) throw malformed(`must start with ${SCHEME}`);
  return { segments: text.slice(SCHEME.length).split('/'), isOld };
}

function checked(uri: {
  readonly project: string;
  readonly type: string;
  readonly name: string;
  readonly hash?: string;
}): BlobUri {
  const { project, type, name, hash } = uri;
  if (!isName(project)) throw malformed('has a project that is not a name');
  if (!isUriType(type)) throw malformed(`has a type that is not one of ${URI_TYPES.join(', ')}`);
  if (!isName(name)) throw malformed('has a name that is not a name');
  if (hash === undefined) return { project, type, name };
  if (!isContentHash(hash)) throw malformed('has a hash that is not sha256: and 64 hex digits');
  return { project, type, name, hash };
}

function checkedRecord(uri: RecordUri): RecordUri {
  if (!isName(uri.project)) throw malformed('has a project that is not a name');
  if (!isName(uri.id)) throw malformed('has an id that is not a name');
  if (uri.suffix !== undefined && !uri.suffix.split('/').every(isName))
    throw malformed('has a suffix with a segment that is not a name');
  return uri;
}

function isUriType(type: string): type is UriType {
  return (URI_TYPES as readonly string[]).includes(type);
}

// The offending text is not repeated: an address can come from anywhere and hold anything.
function malformed(why: string): PalisadeError {
  return new PalisadeError('invalid_input', `the address ${why}`);
}
