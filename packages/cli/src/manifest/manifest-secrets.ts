import { isDenied, PalisadeError, type SecretInput } from '@palisade/contracts';
import { readRegularFile } from '../bounded-read.ts';
import { secretText } from '../commands/secret-put.ts';
import type { Invocation } from '../invocation.ts';
import { readInput } from '../read-input.ts';
import { UsageError } from '../tree/usage-error.ts';
import { containedPath } from './contained-path.ts';
import type { ManifestEnvironment, SecretSource } from './manifest-schema.ts';

const SECRET_BYTES = 65_536;

/** What an environment of a manifest sets once its bases are merged into it: values, and where secrets are taken from. */
export interface MergedSources {
  readonly values: ReadonlyMap<string, string | { readonly from_env: string }>;
  readonly secrets: ReadonlyMap<string, SecretSource>;
}

/**
 * An environment with what it extends. What comes later wins, whichever of value and secret it is. Raises
 * `invalid_input` for a base that is not of the manifest or named twice, and for one that extends itself.
 *
 * @param known environments that were merged before, by name: without them the work doubles with every level of bases
 */
export function mergedSources(
  environment: ManifestEnvironment,
  all: ReadonlyMap<string, ManifestEnvironment>,
  known: Map<string, MergedSources>,
  within: readonly string[] = [],
): MergedSources {
  const { name, extends: bases = [], values = {}, secrets = {}, from_env: taken = {} } = environment;
  if (within.includes(name))
    throw new PalisadeError('invalid_input', `extends itself: ${[...within, name].join(' -> ')}`);
  const before = known.get(name);
  if (before !== undefined) return before;
  const repeated = bases.find((base, i) => bases.indexOf(base) !== i);
  if (repeated !== undefined) throw new PalisadeError('invalid_input', `extends ${repeated} more than once`);
  const merged = new Map<
    string,
    { readonly value: string | { from_env: string } } | { readonly secret: SecretSource }
  >();
  const set = (
    key: string,
    entry: { value: string | { from_env: string } } | { secret: SecretSource },
  ): void => {
    merged.set(key, entry);
  };
  for (const base of bases) {
    const found = all.get(base);
    if (found === undefined)
      throw new PalisadeError('invalid_input', `extends ${base}, which is no environment of this manifest`);
    const of = mergedSources(found, all, known, [...within, name]);
    for (const [key, value] of of.values) set(key, { value });
    for (const [key, secret] of of.secrets) set(key, { secret });
  }
  for (const key of taken.values ?? []) set(key, { value: { from_env: key } });
  for (const key of taken.secrets ?? []) set(key, { secret: { from_env: key } });
  for (const [key, value] of Object.entries(values)) set(key, { value });
  for (const [key, secret] of Object.entries(secrets)) set(key, { secret });
  const sources = {
    values: new Map(
      [...merged].flatMap(([key, entry]) => ('value' in entry ? [[key, entry.value] as const] : [])),
    ),
    secrets: new Map(
      [...merged].flatMap(([key, entry]) => ('secret' in entry ? [[key, entry.secret] as const] : [])),
    ),
  };
  known.set(name, sources);
  return sources;
}

/** Takes secrets from where manifests say. What is read is only ever sent to the secret store. */
export class SecretReader {
  readonly #invocation: Invocation;
  readonly #directory: string;
  #standardInput: Promise<string> | undefined;

  constructor(invocation: Invocation, directory: string) {
    this.#invocation = invocation;
    this.#directory = directory;
  }

  /** A variable of the operator's environment, by the name the manifest gives; a {@link UsageError} when it is not set. */
  variable(name: string): string {
    const value = this.#invocation.env[name];
    if (value === undefined || value === '')
      throw new UsageError(`takes ${name} from your environment, and it is not set there`);
    return value;
  }

  /** A variable whose value is kept in the clear: never one that carries an identity of the host (DI-109). */
  plainVariable(name: string): string {
    if (isDenied(name))
      throw new UsageError(
        `takes ${name} as a plain value, which is kept in the clear; take it as a secret: from_env: { secrets: [${name}] }`,
      );
    return this.variable(name);
  }

  /** The secret as it is registered. */
  async read(source: SecretSource): Promise<SecretInput> {
    if (source.ref !== undefined) return { ref: source.ref };
    if (source.from_env !== undefined) return { inline: this.variable(source.from_env) };
    if (source.from_file !== undefined) return { inline: this.#file(source.from_file) };
    // Several may take the same one.
    this.#standardInput ??= readInput(this.#invocation, '-', SECRET_BYTES).then(secretText);
    return { inline: await this.#standardInput };
  }

  #file(name: string): string {
    const path = containedPath(this.#directory, name);
    const tooLarge = (): PalisadeError =>
      new PalisadeError('too_large', `${name} is larger than ${SECRET_BYTES} bytes`);
    return secretText(readRegularFile(path, { shown: name, maxBytes: SECRET_BYTES, tooLarge }, 'refuse'));
  }
}
