import type { Declaration } from './declaration.ts';
import { globalFlagName, globalFlags } from './global-flags.ts';
import { nearest } from '@palisade/contracts/nearest';
import { aliases } from './aliases.ts';
import { commands } from './tree.ts';
import { UsageError } from './usage-error.ts';

/** Which command was typed, and everything else that was. */
export interface Resolved {
  readonly declaration: Declaration;
  readonly rest: readonly string[];
  /** The new name when an old one was typed. */
  readonly renamed?: { readonly from: string; readonly to: string };
}

const byPath: ReadonlyMap<string, Declaration> = new Map(commands.map((entry) => [entry.path, entry]));
const valueFlags: ReadonlySet<string> = new Set(
  (Object.keys(globalFlags) as (keyof typeof globalFlags)[]).flatMap((key) => {
    const flag = globalFlags[key];
    if (flag.kind === 'boolean' || key === 'json') return [];
    return [`--${globalFlagName(key)}`, ...(flag.short === undefined ? [] : [`-${flag.short}`])];
  }),
);

/** The declaration of `path`, or undefined. */
export function findCommand(path: string): Declaration | undefined {
  return byPath.get(path);
}

/**
 * Finds the command in a command line: the first one or two words that are not flags, of an old name up to three. No words at all
 * means `status`. A word that is no command is a {@link UsageError} naming the nearest one; it never runs it.
 */
export function resolveCommand(argv: readonly string[]): Resolved {
  const words = commandWords(argv);
  const first = words[0];
  if (first === undefined) return named('status', argv, []);
  const together = words.filter(({ index }, at) => index === first.index + at);
  const second = together[1];
  for (let length = together.length; length > 0; length--) {
    const used = together.slice(0, length);
    const path = used.map(({ text }) => text).join(' ');
    const indices = used.map(({ index }) => index);
    if (byPath.has(path)) return named(path, argv, indices);
    const renamed = Object.hasOwn(aliases, path) ? aliases[path] : undefined;
    if (renamed !== undefined)
      return { ...named(renamed, argv, indices), renamed: { from: path, to: renamed } };
  }
  throw unknown(first.text, second?.text);
}

function named(path: string, argv: readonly string[], used: readonly number[]): Resolved {
  const declaration = byPath.get(path);
  if (declaration === undefined) throw new UsageError(`unknown command "${path}"`);
  return { declaration, rest: argv.filter((_, index) => !used.includes(index)) };
}

function commandWords(argv: readonly string[]): { readonly text: string; readonly index: number }[] {
  const words: { text: string; index: number }[] = [];
  for (let index = 0; index < argv.length && words.length < 3; index++) {
    const text = argv[index] ?? '';
    if (text === '--') break;
    if (text.startsWith('-') && text !== '-') {
      if (valueFlags.has(text)) index++;
      continue;
    }
    words.push({ text, index });
  }
  return words;
}

function unknown(first: string, second: string | undefined): UsageError {
  const group = commands.filter((entry) => entry.path.startsWith(`${first} `) && entry.hidden !== true);
  if (group.length > 0) {
    const verbs = group.map((entry) => entry.path.slice(first.length + 1));
    const meant = second === undefined ? undefined : nearest(second, verbs);
    return new UsageError(
      second === undefined
        ? `pal ${first} needs one of: ${verbs.join(', ')}`
        : `unknown command "${first} ${second}"`,
      { next: meant === undefined ? `pal help ${first}` : `pal ${first} ${meant}` },
    );
  }
  const candidates = commands.flatMap((entry) =>
    entry.hidden === true ? [] : [entry.path.split(' ')[0] ?? ''],
  );
  const meant = nearest(first, candidates);
  return new UsageError(`unknown command "${first}"`, {
    next: meant === undefined ? 'pal help' : `pal ${meant}`,
  });
}
