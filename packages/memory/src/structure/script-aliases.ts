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
const DEEPEST_CHAIN = 8;

/** The `baseUrl` and `paths` of TypeScript and JavaScript projects, of the nearest file upwards (WM-024). */
export class ScriptAliases {
  readonly #read: ReadText;
  readonly #byFolder = new Map<string, Settings | undefined>();

  constructor(read: ReadText) {
    this.#read = read;
  }

  /** The places that a name which is not relative may mean, best first. */
  places(specifier: string, from: string): readonly string[] {
    const settings = this.#nearest(posix.dirname(from));
    if (settings === undefined) return [];
    const mapped = settings.paths.flatMap(({ before, after, targets }) => {
      if (!specifier.startsWith(before) || !specifier.endsWith(after)) return [];
      const middle = specifier.slice(before.length, specifier.length - after.length);
      return targets.map((target) => target.replace('*', () => middle));
    });
    const plain = settings.base === undefined ? [] : [posix.join(settings.base, specifier)];
    return [...mapped, ...plain].filter((place) => !place.startsWith('../'));
  }

  #nearest(folder: string): Settings | undefined {
    if (this.#byFolder.has(folder)) return this.#byFolder.get(folder);
    const own = CONFIGS.map((name) => posix.join(folder, name)).find(
      (path) => this.#read(path) !== undefined,
    );
    const parent = posix.dirname(folder);
    const found =
      own !== undefined ? this.#settings(own, 0) : parent === folder ? undefined : this.#nearest(parent);
    this.#byFolder.set(folder, found);
    return found;
  }

  #settings(path: string, depth: number): Settings | undefined {
    const text = this.#read(path);
    const config = text === undefined ? undefined : parsed(text);
    if (config === undefined || depth > DEEPEST_CHAIN) return undefined;
    const folder = posix.dirname(path);
    const inherited = [config['extends']]
      .flat()
      .filter((name): name is string => typeof name === 'string' && name.startsWith('.'))
      .map((name) => posix.join(folder, name.endsWith('.json') ? name : `${name}.json`))
      .map((name) => this.#settings(name, depth + 1))
      .findLast((each) => each !== undefined);
    const options = config['compilerOptions'];
    if (!isRecord(options)) return inherited;
    const base = typeof options['baseUrl'] === 'string' ? posix.join(folder, options['baseUrl']) : undefined;
    const paths = isRecord(options['paths']) ? options['paths'] : undefined;
    return {
      base: base ?? inherited?.base,
      paths: paths === undefined ? (inherited?.paths ?? []) : mapping(paths, base ?? folder),
    };
  }
}

function mapping(paths: Readonly<Record<string, unknown>>, base: string): Settings['paths'] {
  return Object.entries(paths)
    .map(([pattern, targets]) => {
      const [before = '', after = ''] = pattern.split('*');
      const texts = [targets].flat().filter((target): target is string => typeof target === 'string');
      return { before, after, targets: texts.map((target) => posix.join(base, target)) };
    })
    .toSorted((a, b) => b.before.length - a.before.length);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON with comments and commas too many, as these files are written; undefined when it is not even that. */
function parsed(text: string): Record<string, unknown> | undefined {
  const plain = text.replace(
    /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=\s*(?:\/\/[^\n]*\s*|\/\*[\s\S]*?\*\/\s*)*[}\]])/g,
    (_match, string: string | undefined) => string ?? '',
  );
  try {
    const value: unknown = JSON.parse(plain);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
