import * as z from 'zod';
import { isContentHash, type ContentHash } from './canonical-json.ts';
import { isName, NAME_PATTERN } from './ids.ts';
import { type ErrorCode, type InputIssue, PalisadeError } from './errors.ts';
import { nearest } from './nearest.ts';
import { namesAt } from './schema-names.ts';

/** Marks a field that is never given back, and that no command line may hold, where every process reads it. */
export const WRITE_ONLY = { writeOnly: true } as const;

/** A name chosen by a user; see {@link isName}. */
export const Name = z
  .string()
  .max(128)
  .regex(NAME_PATTERN, 'must be 1 to 128 of letters, digits and . _ : ~ @ -, starting with a letter or digit')
  .refine((name) => !name.includes('..'), 'must not contain ".."');

/** The parts of `name@sha256:…`; null for anything else. */
export function pinnedRef(ref: string): { readonly name: string; readonly hash: ContentHash } | null {
  const [, name, hash] = /^(.*)@(sha256:.*)$/s.exec(ref) ?? [];
  return name !== undefined && isContentHash(hash) ? { name, hash } : null;
}

/** What something registered is asked for by: its name, its address, or both as `name@sha256:…`, which is pinned too (DI-052). */
export const RegistryRef = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:~@-]*$/, 'must be a name, an address, or both as name@sha256:…')
  .refine(
    (ref) => isName(pinnedRef(ref)?.name ?? ref),
    'must be a name, an address, or both as name@sha256:…',
  );

/** A name to register something under. Where names are looked up an address means its content, so none may look like one. */
export const NewName = Name.refine(
  (name) => !isContentHash(name) && pinnedRef(name) === null,
  'must not be an address',
);

/** `sha256:<64 hex>`. */
export const Hash = z.custom<ContentHash>(isContentHash, 'must be sha256: and 64 lower-case hex digits');

/** Milliseconds since the epoch. */
export const Millis = z.int().nonnegative();

/** A text the operating system takes as one argument or variable. */
export const ArgumentText = z.string().refine((text) => !text.includes('\0'), 'must not contain NUL');

/** An {@link ArgumentText} that says something. */
export const ProgramText = ArgumentText.min(1);

/** Any JSON value. */
export const Json = z.json();

/** An environment variable's name that an agent may receive; the product's own names are reserved. */
export const EnvName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'must be an environment variable name')
  .refine((name) => !name.startsWith('PALISADE_'), 'PALISADE_ names are reserved');

/**
 * Parses foreign input against a schema. Every problem is reported at once with its place, in
 * `issues`; the error's code is `code`.
 */
export function parseInput<T>(
  schema: z.ZodType<T>,
  value: unknown,
  what: string,
  code: ErrorCode = 'invalid_input',
): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = zodIssues(result.error, { schema, value });
  const first = issues[0];
  throw new PalisadeError(
    code,
    `${what} is not valid: ${first === undefined ? 'unknown problem' : `${first.path}: ${first.message}`}${issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''}`,
    { issues },
  );
}

/** Issues that get a guess of what was meant: for thousands it would only cost time. */
const GUESSES = 20;

/**
 * Zod's issues as places and messages, `items[3].needs.work.from` style.
 *
 * @param of what was parsed against what: then an unknown name is told with the nearest that is known there
 */
export function zodIssues(
  error: z.ZodError,
  of?: { readonly schema: z.ZodType; readonly value: unknown },
): InputIssue[] {
  return error.issues.map((issue, n) => ({
    path: formatPath(issue.path),
    message: `${messageOf(issue)}${of === undefined || n >= GUESSES ? '' : meant(issue, of)}`,
  }));
}

function messageOf({ code, message }: z.core.$ZodIssue): string {
  return code === 'invalid_type' && message.endsWith(', received undefined') ? 'is missing' : message;
}

function meant(issue: z.core.$ZodIssue, of: { readonly schema: z.ZodType; readonly value: unknown }): string {
  if (issue.code !== 'unrecognized_keys') return '';
  const known = namesAt(of.schema, of.value, issue.path);
  const found = issue.keys.slice(0, GUESSES).flatMap((key) => nearest(key, known) ?? []);
  return found.length === 0 ? '' : ` (did you mean ${found.map((name) => `"${name}"`).join(', ')}?)`;
}

/** `['items', 3, 'id']` as `items[3].id`. */
export function formatPath(path: readonly PropertyKey[]): string {
  let out = '';
  for (const part of path)
    out += typeof part === 'number' ? `[${part}]` : `${out === '' ? '' : '.'}${String(part)}`;
  return out === '' ? '(top)' : out;
}

/** A list that nobody changes. */
export const listOf = <S extends z.ZodType>(schema: S) => z.array(schema).readonly();
export const Texts = listOf(z.string());
