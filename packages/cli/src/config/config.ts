import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { readRegularFile } from '../bounded-read.ts';
import { nearest } from '@palisade/contracts/nearest';
import { UsageError } from '../tree/usage-error.ts';
import { baseDirectory } from '../user-path.ts';
import { type SettingKey, settingKeys } from './keys.ts';

/** One place a setting can come from, strongest first. */
export interface Layer {
  readonly source: 'flag' | 'environment' | 'repository' | 'user' | 'default';
  /** The flag, variable or file. */
  readonly where: string;
  readonly value: string | undefined;
  /** It says that there is none, whatever weaker layers say. */
  readonly isNone?: true;
}

/** Who stated a setting, as it is told in mistakes of its value: the variable, or a file. */
export type SettingOrigin = 'variable' | { readonly file: string };

type Env = Readonly<Record<string, string | undefined>>;

/** Settings of this invocation: flag > `PALISADE_*` > `.palisade.toml` > user file > default. */
export class Config {
  readonly #env: Env;
  readonly #flags: Readonly<Record<string, string | undefined>>;
  readonly #repository: TomlFile | undefined;
  readonly #user: TomlFile | undefined;

  private constructor(
    env: Env,
    flags: Readonly<Record<string, string | undefined>>,
    repository: TomlFile | undefined,
    user: TomlFile | undefined,
  ) {
    this.#env = env;
    this.#flags = flags;
    this.#repository = repository;
    this.#user = user;
  }

  /** Reads the files that exist. A malformed file or an unknown key is a {@link UsageError} naming the file. */
  static async load(
    directory: string,
    env: Env,
    flags: Readonly<Record<string, string | undefined>>,
  ): Promise<Config> {
    const repository = findRepositoryFile(directory);
    const user = userFile(env);
    return new Config(
      env,
      flags,
      repository === undefined ? undefined : await readToml(repository, true),
      user !== undefined && existsSync(user) ? await readToml(user, false) : undefined,
    );
  }

  /** Every layer of a setting, strongest first. The first with a value wins. */
  layers(name: string): readonly Layer[] {
    const key = settingKey(name);
    return [
      { source: 'flag', where: key.flag, value: this.#flags[name] },
      {
        source: 'environment',
        where: key.env,
        value: check(key, this.#env[key.env], key.env),
        ...(key.emptyIsNone === true && this.#env[key.env] === '' ? { isNone: true } : {}),
      },
      {
        source: 'repository',
        where: this.#repository?.path ?? '.palisade.toml',
        value: this.#repository?.values[name],
      },
      {
        source: 'user',
        where: this.#user?.path ?? userFile(this.#env) ?? 'no home directory',
        value: this.#user?.values[name],
      },
      { source: 'default', where: 'built in', value: key.fallback },
    ];
  }

  /** The layer that decides a setting; the last, which has no value, when none does. */
  winner(name: string): Layer {
    const layers = this.layers(name);
    const winner = layers.find(decides) ?? layers.at(-1);
    if (winner === undefined) throw new Error(`the setting ${name} has no layers`);
    return winner;
  }

  get(name: string): string | undefined {
    return this.winner(name).value;
  }

  /** Where the value of a setting that has no flag was stated; undefined when nobody did. */
  originOf(name: string): SettingOrigin | undefined {
    const { source, where } = this.winner(name);
    if (source === 'default' || source === 'flag') return undefined;
    return source === 'environment' ? 'variable' : { file: where };
  }

  /** The settings that the control plane heeds, by the names of their variables. */
  forControlPlane(): Record<string, string> {
    const found = settingKeys.flatMap(({ name, env, isForControlPlane }) => {
      const value = isForControlPlane === true ? this.get(name) : undefined;
      return value === undefined ? [] : [[env, value] as const];
    });
    return Object.fromEntries(found);
  }

  isOn(name: string): boolean {
    return this.get(name) === 'true';
  }
}

/** Whether a layer says what a setting is, so that no weaker one does. */
export function decides({ value, isNone }: Layer): boolean {
  return value !== undefined || isNone === true;
}

/** Far more than all settings together need. */
const SETTINGS_BYTES = 64 * 1024;

interface TomlFile {
  readonly path: string;
  readonly values: Readonly<Record<string, string>>;
}

/** The declared key, or a {@link UsageError} naming the nearest. */
export function settingKey(name: string): SettingKey {
  const key = settingKeys.find((entry) => entry.name === name);
  if (key !== undefined) return key;
  const meant = nearest(
    name,
    settingKeys.map((entry) => entry.name),
  );
  throw new UsageError(`unknown setting "${name}"`, {
    next: meant === undefined ? 'pal config get' : `pal config explain ${meant}`,
  });
}

/** The user's own file; undefined where the environment says of no directory that it is the user's. */
export function userFile(env: Env): string | undefined {
  const home = baseDirectory(env['HOME'] ?? homedir());
  const root =
    (process.platform === 'win32' ? baseDirectory(env['APPDATA']) : undefined) ??
    baseDirectory(env['XDG_CONFIG_HOME']) ??
    (home === undefined ? undefined : join(home, '.config'));
  return root === undefined ? undefined : join(root, 'palisade', 'config.toml');
}

/** The nearest `.palisade.toml` upwards, not past the top of the repository. */
export function findRepositoryFile(directory: string): string | undefined {
  let at = directory;
  for (;;) {
    const file = join(at, '.palisade.toml');
    if (existsSync(file)) return file;
    const parent = dirname(at);
    if (parent === at || existsSync(join(at, '.git'))) return undefined;
    at = parent;
  }
}

/** The value as text when the key allows it; otherwise a {@link UsageError} naming `where`. */
export function check(key: SettingKey, value: unknown, where: string): string | undefined {
  if (value === undefined || value === '') return undefined;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (key.values === 'text') return text;
  const explain = `pal config explain ${key.name}`;
  if (key.values === 'boolean') {
    if (text === '1' || text === 'true') return 'true';
    if (text === '0' || text === 'false') return 'false';
    throw new UsageError(`${where}: ${key.name} must be true or false`, { next: explain });
  }
  if (key.values.includes(text)) return text;
  throw new UsageError(`${where}: ${key.name} must be one of ${key.values.join(', ')}`, { next: explain });
}

/** A file of settings as text. A repository's own is a file: a link could lead to a device or to another user's file. */
export function readSettings(path: string, links: 'follow' | 'refuse'): string {
  const tooLarge = (): Error => new UsageError(`${path} is larger than ${SETTINGS_BYTES} bytes`);
  return readRegularFile(path, { shown: path, maxBytes: SETTINGS_BYTES, tooLarge }, links).toString('utf8');
}

async function readToml(path: string, isRepository: boolean): Promise<TomlFile> {
  const { parse } = await import('smol-toml');
  const text = readSettings(path, isRepository ? 'refuse' : 'follow');
  let document: Record<string, unknown>;
  try {
    document = parse(text);
  } catch {
    throw new UsageError(`${path} is not valid TOML`, {
      next: `correct ${path}: lines of the form name = value`,
    });
  }
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(document)) {
    const key = settingKeys.find((entry) => entry.name === name);
    if (key === undefined) {
      const meant = nearest(
        name,
        settingKeys.map((entry) => entry.name),
      );
      throw new UsageError(`${path}: unknown setting "${name}"`, {
        ...(meant === undefined ? {} : { why: `the nearest is "${meant}"` }),
        next: `take it out of ${path} (pal help config set)`,
      });
    }
    if (isRepository && !key.fromRepository)
      throw new UsageError(`${path}: "${name}" cannot be set by a repository`, {
        why: 'it grants a permission or names an identity, which only the user may do',
        next: `pal config set ${name} VALUE`,
      });
    const checked = check(key, value, path);
    if (checked !== undefined) values[name] = checked;
  }
  return { path, values };
}
