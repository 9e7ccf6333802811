/*
 * The command tree as values. Parsing, help, completion and the tests that walk every flag all
 * follow from these declarations; a command's code is loaded only when it runs.
 */

/** One flag. `V` is what a handler receives. */
export interface Flag<V = unknown> {
  readonly kind: 'boolean' | 'string' | 'integer' | 'duration' | 'list' | 'choice';
  readonly summary: string;
  /** Name of the value in help, e.g. `FILE`. Absent for booleans. */
  readonly value?: string;
  readonly short?: string;
  readonly choices?: readonly string[];
  readonly hidden?: boolean;
  /** Of an integer: smaller ones are refused. */
  readonly least?: number;
  /** Carries `V`; never present at run time. */
  readonly type?: V;
}

interface FlagDetails {
  readonly short?: string;
  readonly hidden?: boolean;
}

interface IntegerDetails extends FlagDetails {
  readonly least?: number;
}

/** Builders of flags. A duration is given as `90`, `90s`, `5m`, `2h` and received in milliseconds. */
export const flag = {
  boolean: (summary: string, details: FlagDetails = {}): Flag<boolean> => ({
    kind: 'boolean',
    summary,
    ...details,
  }),
  string: (value: string, summary: string, details: FlagDetails = {}): Flag<string | undefined> => ({
    kind: 'string',
    value,
    summary,
    ...details,
  }),
  integer: (value: string, summary: string, details: IntegerDetails = {}): Flag<number | undefined> => ({
    kind: 'integer',
    value,
    summary,
    ...details,
  }),
  /** How many rows are wanted: none is no question. */
  limit: (summary: string): Flag<number | undefined> => flag.integer('N', summary, { least: 1 }),
  duration: (summary: string, details: FlagDetails = {}): Flag<number | undefined> => ({
    kind: 'duration',
    value: 'TIME',
    summary,
    ...details,
  }),
  list: (value: string, summary: string, details: FlagDetails = {}): Flag<readonly string[]> => ({
    kind: 'list',
    value,
    summary: `${summary} (repeatable)`,
    ...details,
  }),
  choice: <const C extends readonly string[]>(
    choices: C,
    summary: string,
    details: FlagDetails = {},
  ): Flag<C[number] | undefined> => ({
    kind: 'choice',
    value: choices.join('|'),
    choices,
    summary,
    ...details,
  }),
};

/** Flags of a listing that is answered in pages. */
export const pageFlags = {
  limit: flag.limit('at most N rows'),
  cursor: flag.string('CURSOR', 'continue a listing'),
};

/** One positional argument. */
export interface Argument<V = unknown> {
  readonly summary: string;
  readonly presence: 'required' | 'optional' | 'variadic';
  /** What completion offers. `run` may also be written `@`, the run of this branch. */
  readonly completes?: 'run' | 'file' | 'topic' | 'key' | 'shell' | 'queue';
  readonly type?: V;
}

type Completes = Argument['completes'];
const complete = (completes: Completes): { completes?: Exclude<Completes, undefined> } =>
  completes === undefined ? {} : { completes };

/** Builders of positional arguments. */
export const argument = {
  required: (summary: string, completes?: Completes): Argument<string> => ({
    summary,
    presence: 'required',
    ...complete(completes),
  }),
  optional: (summary: string, completes?: Completes): Argument<string | undefined> => ({
    summary,
    presence: 'optional',
    ...complete(completes),
  }),
  variadic: (summary: string, completes?: Completes): Argument<readonly string[]> => ({
    summary,
    presence: 'variadic',
    ...complete(completes),
  }),
};

export type Flags = Readonly<Record<string, Flag>>;
export type Arguments = Readonly<Record<string, Argument>>;

/** Something a command may ask on a terminal, and the flag that answers it anywhere. */
export interface Question {
  /** Ends without punctuation; the prompt adds its own. */
  readonly words: string;
  /** Spelt as typed, such as `--yes`, with a value's name where it takes one. */
  readonly flag: string;
}

/** One command. `path` is what the user types, e.g. `plan validate`. */
export interface Declaration<A extends Arguments = Arguments, F extends Flags = Flags> {
  readonly path: string;
  readonly summary: string;
  readonly args: A;
  readonly flags: F;
  /**
   * `mutation` adds `--dry-run` and `--idempotency-key`. To bring an index of one's own up to date is none: all of it can be made
   * again at any time, and the same call again finds nothing to do.
   */
  readonly effect: 'read' | 'mutation';
  readonly asks?: Readonly<Record<string, Question>>;
  readonly hidden?: boolean;
  /** More words under `--help`. */
  readonly notes?: string;
}

type ValueOf<T> = T extends { readonly type?: infer V } ? V : never;
/** What a handler receives for its positional arguments. */
export type ArgumentValues<D extends Declaration> = {
  readonly [K in keyof D['args']]: Exclude<ValueOf<D['args'][K]>, never>;
};
/** What a handler receives for its flags. */
export type FlagValues<D extends Declaration> = { readonly [K in keyof D['flags']]: ValueOf<D['flags'][K]> };

/** Declares a command; see {@link Declaration}. */
export function command<const A extends Arguments, const F extends Flags, const D extends Declaration<A, F>>(
  declaration: D & Declaration<A, F>,
): D {
  return Object.freeze(declaration);
}

/** `idempotencyKey` as `idempotency-key`. */
export function flagName(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
