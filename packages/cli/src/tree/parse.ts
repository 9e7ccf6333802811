import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type Declaration, type Flag, type Flags, flagName } from './declaration.ts';
import { globalFlagName, globalFlags, mutationFlags } from './global-flags.ts';
import { UsageError } from './usage-error.ts';

export type GlobalValues = {
  readonly [K in keyof typeof globalFlags]: (typeof globalFlags)[K] extends Flag<infer V> ? V : never;
};

/** A command line that was understood. */
export interface Parsed {
  readonly args: Readonly<Record<string, unknown>>;
  readonly flags: Readonly<Record<string, unknown>>;
  readonly globals: GlobalValues;
  readonly idempotencyKey: string | undefined;
  readonly isDryRun: boolean;
}

/** Parses what follows the command's words. Every problem is a {@link UsageError}. */
export function parseArguments(declaration: Declaration, rest: readonly string[]): Parsed {
  const parser = new Command(declaration.path);
  parser
    .exitOverride()
    .helpOption(false)
    .configureOutput({ writeOut: () => {}, writeErr: () => {}, outputError: () => {} })
    .allowExcessArguments(false)
    .showSuggestionAfterError(true);
  for (const key of globalKeys) parser.addOption(toOption(globalFlagName(key), globalFlags[key]));
  for (const [key, flag] of Object.entries(declaration.flags))
    parser.addOption(toOption(flagName(key), flag));
  if (declaration.effect === 'mutation')
    for (const [key, flag] of Object.entries(mutationFlags)) parser.addOption(toOption(flagName(key), flag));
  for (const [name, spec] of Object.entries(declaration.args)) {
    const shape = { required: `<${name}>`, optional: `[${name}]`, variadic: `[${name}...]` }[spec.presence];
    parser.argument(shape, spec.summary);
  }
  try {
    // What follows `--` is somebody else's (D-08).
    const own = rest.includes('--') ? rest.indexOf('--') : rest.length;
    parser.parse([...rest.slice(0, own).map(shield), ...rest.slice(own)], { from: 'user' });
  } catch (error) {
    throw translate(error, declaration);
  }
  const values = parser.opts<Record<string, unknown>>();
  // `--no-input` and a command's own `--input FILE` share a name.
  const valueOf = (key: string, flag: Flag): unknown =>
    flag.kind === 'string' && typeof values[key] === 'boolean' ? undefined : values[key];
  const given = (key: string, flag: Flag): unknown =>
    unshield(valueOf(key, flag)) ?? (flag.kind === 'boolean' ? false : flag.kind === 'list' ? [] : undefined);
  return {
    args: Object.fromEntries(
      Object.keys(declaration.args).map((name, index) => [name, unshield(parser.processedArgs[index])]),
    ),
    flags: pick(declaration.flags, given),
    globals: { ...pick(globalFlags, given), input: values['input'] !== false } as GlobalValues,
    idempotencyKey: values['idempotencyKey'] as string | undefined,
    isDryRun: values['dryRun'] === true,
  };
}

/*
 * Two words the parser would misread: a bare `--json` must not swallow the next word, and `-/ITEM`
 * (an item of the newest run) is no flag. A no-break character that no argument begins with marks it.
 */
const MARK = '\u2060';

function shield(word: string): string {
  if (word === '--json') return '--json=*';
  return word.startsWith('-/') ? MARK + word : word;
}

function unshield(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unshield);
  return typeof value === 'string' && value.startsWith(MARK) ? value.slice(MARK.length) : value;
}

const globalKeys = Object.keys(globalFlags) as (keyof typeof globalFlags)[];

function pick(flags: Flags, given: (key: string, flag: Flag) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(flags).map(([key, flag]) => [key, given(key, flag)]));
}

function toOption(name: string, flag: Flag): Option {
  const short = flag.short === undefined ? '' : `-${flag.short}, `;
  const option = new Option(
    `${short}--${name}${flag.value === undefined ? '' : ` <${flag.value}>`}`,
    flag.summary,
  );
  if (flag.choices !== undefined) option.choices(flag.choices);
  if (flag.kind === 'integer') option.argParser((word: string) => parseInteger(word, flag.least ?? 0));
  if (flag.kind === 'duration') option.argParser(parseDuration);
  if (flag.kind === 'list')
    option.argParser((word: string, before: readonly string[] | undefined) => [...(before ?? []), word]);
  return option;
}

function parseInteger(word: string, least: number): number {
  if (!/^\d{1,15}$/.test(word)) throw new InvalidArgumentError('it must be a whole number');
  if (Number(word) < least) throw new InvalidArgumentError(`it must be at least ${least}`);
  return Number(word);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90`, `90s`, `5m`, `2h`, `250ms` as milliseconds. */
function parseDuration(word: string): number {
  const match = /^(\d{1,9})(ms|s|m|h|d)?$/.exec(word);
  if (match === null) throw new InvalidArgumentError('it must be a time such as 90s, 5m or 2h');
  return Number(match[1]) * (UNITS[match[2] ?? 's'] ?? 1000);
}

function translate(error: unknown, declaration: Declaration): unknown {
  if (!(error instanceof CommanderError)) return error;
  const [message = '', hint] = error.message.replace(/^error: /, '').split('\n');
  const meant = hint === undefined ? undefined : /Did you mean (.+)\?/.exec(hint)?.[1];
  return new UsageError(message.replaceAll("'", '"'), {
    ...(meant === undefined ? {} : { why: `the nearest is ${meant}` }),
    next: `pal help ${declaration.path}`,
  });
}
