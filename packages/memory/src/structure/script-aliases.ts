import { posix } from 'node:path';

/** Reads a file of the tree, or says that there is none. */
export type ReadText = (path: string) => string | undefined;

interface Settings {
  /** Folder that plain names start in. */
  readonly base: string | undefined;
  readonly paths: readonly {
    readonly before: string;
    readonly after: string;
    readonly targets: readonly string[];
  }[];
}

const CONFIGS = ['tsconfig.json', 'jsconfig.json'];

// No configuration that a person writes has more; what is beyond is not looked at.
const MOST_CONFIGS = 50;
const MOST_PATTERNS = 1_000;
const MOST_TARGETS = 10;
const MOST_PLACES = 20;
const LONGEST = 1_000;

/** The `baseUrl` and `paths` of TypeScript and JavaScript projects, of the nearest file upwards (WM-024). */
export class ScriptAliases {
  readonly #read: ReadText;
  readonly #byFolder = new Map<string, Settings | undefined>();
  /** Of each configuration, read once; one that extends itself is without settings meanwhile. */
  readonly #byConfig = new Map<string, Settings | undefined>();

  constructor(read: ReadText) {
    this.#read = read;
  }

  /** The places that a name which is not relative may mean, best first. */
  places(specifier: string, from: string): readonly string[] {
    const settings = this.#nearest(posix.dirname(from));
    if (settings === undefined) return [];
    const places: string[] = [];
    for (const { before, after, targets } of settings.paths) {
      if (places.length >= MOST_PLACES) break;
      if (!specifier.startsWith(before) || !specifier.endsWith(after)) continue;
      const middle = specifier.slice(before.length, specifier.length - after.length);
      places.push(...targets.map((target) => target.replace('*', () => middle)));
    }
    if (settings.base !== undefined) places.push(posix.join(settings.base, specifier));
    return places.filter((place) => !place.startsWith('../'));
  }

  #nearest(folder: string): Settings | undefined {
    if (this.#byFolder.has(folder)) return this.#byFolder.get(folder);
    const own = CONFIGS.map((name) => posix.join(folder, name)).find(
      (path) => this.#read(path) !== undefined,
    );
    const parent = posix.dirname(folder);
    const found =
      own !== undefined
        ? this.#settings(own, { configs: MOST_CONFIGS })
        : parent === folder
          ? undefined
          : this.#nearest(parent);
    this.#byFolder.set(folder, found);
    return found;
  }

  /** @param left how many more are read for the one that it began with */
  #settings(path: string, left: { configs: number }): Settings | undefined {
    if (this.#byConfig.has(path) || left.configs-- <= 0) return this.#byConfig.get(path);
    this.#byConfig.set(path, undefined);
    const settings = this.#settingsOf(path, left);
    this.#byConfig.set(path, settings);
    return settings;
  }

  #settingsOf(path: string, left: { configs: number }): Settings | undefined {
    const text = this.#read(path);
    const config = text === undefined ? undefined : parsed(text);
    if (config === undefined) return undefined;
    const folder = posix.dirname(path);
    const inherited = [config['extends']]
      .flat()
      .slice(0, MOST_CONFIGS)
      .filter((name) => isShort(name))
      .filter((name) => name.startsWith('.'))
      .map((name) => posix.join(folder, name.endsWith('.json') ? name : `${name}.json`))
      .map((name) => this.#settings(name, left))
      .findLast((each) => each !== undefined);
    const options = config['compilerOptions'];
    if (!isRecord(options)) return inherited;
    const base = isShort(options['baseUrl']) ? posix.join(folder, options['baseUrl']) : undefined;
    const paths = isRecord(options['paths']) ? options['paths'] : undefined;
    return {
      base: base ?? inherited?.base,
      paths: paths === undefined ? (inherited?.paths ?? []) : mapping(paths, base ?? folder),
    };
  }
}

function mapping(paths: Readonly<Record<string, unknown>>, base: string): Settings['paths'] {
  return Object.entries(paths)
    .filter(([pattern]) => isShort(pattern))
    .slice(0, MOST_PATTERNS)
    .map(([pattern, targets]) => {
      const [before = '', after = ''] = pattern.split('*');
      const texts = [targets].flat().slice(0, MOST_TARGETS).filter(isShort);
      return { before, after, targets: texts.map((target) => posix.join(base, target)) };
    })
    .toSorted((a, b) => b.before.length - a.before.length);
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Each takes what it has looked at, to the end of the text when nothing closes it: so the time is linear, whatever the text says.
const STRING = String.raw`("[^"\\]*(?:\\[\s\S][^"\\]*)*"?)`;
const COMMENTS = new RegExp(String.raw`${STRING}|\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)`, 'g');
const COMMAS_TOO_MANY = new RegExp(String.raw`${STRING}|,(?=\s*[}\]])`, 'g');

/** JSON with comments and commas too many, as these files are written; undefined when it is not even that. */
function parsed(text: string): Record<string, unknown> | undefined {
  const without = (from: string, what: RegExp) =>
    from.replace(what, (_match, string: string | undefined) => string ?? ' ');
  const plain = without(without(text, COMMENTS), COMMAS_TOO_MANY);
  try {
    const value: unknown = JSON.parse(plain);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
