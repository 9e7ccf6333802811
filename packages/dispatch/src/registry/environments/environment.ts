import {
  type EnvironmentDefinition,
  type EnvironmentInput,
  type EnvironmentKey,
  PalisadeError,
} from '@palisade/contracts';
import { parseSecretRef } from '@palisade/kernel';
import { assertNoCredentials } from '../credential-scan.ts';

/** A secret that was sent with an environment, to be stored under `secretName`. */
export interface InlineSecret {
  readonly key: string;
  readonly secretName: string;
  readonly value: string;
  readonly ttlMs: number | undefined;
}

/**
 * Where an environment's own secret is stored. Injective: `@` may not occur in secret names, the key
 * holds no colon, and the escape character escapes itself.
 */
export function stagedSecretName(environment: string, key: string): string {
  const plain = environment.replaceAll('~', '~7e').replaceAll('@', '~40');
  return `env:${plain}:${key}`;
}

/** The secrets that come as values. */
export function inlineSecrets({ name, secrets = {} }: EnvironmentInput): InlineSecret[] {
  return Object.entries(secrets).flatMap(([key, secret]) =>
    'inline' in secret
      ? [{ key, secretName: stagedSecretName(name, key), value: secret.inline, ttlMs: secret.ttl_ms }]
      : [],
  );
}

/** The secrets that come as references. A map, because `__proto__` is a good name for a variable too. */
export function secretRefs({ secrets = {} }: EnvironmentInput): Map<string, string> {
  return new Map(
    Object.entries(secrets).flatMap(([key, secret]) => ('ref' in secret ? [[key, secret.ref] as const] : [])),
  );
}

/**
 * Raises `credential_in_text` for a plain value that looks like a credential (DI-046), `invalid_input`
 * for what no environment can hold.
 */
export function checkEnvironment(input: EnvironmentInput): void {
  const { name, values = {}, allow_credential_patterns: allowed = [] } = input;
  for (const [key, value] of Object.entries(values)) {
    assertNoCredentials(`env:${name}:${key}`, value, allowed);
    assertUsable(`the value of ${key}`, value);
  }
  for (const { key, value } of inlineSecrets(input)) assertUsable(`the secret ${key}`, value);
}

/** The immutable definition: values, and references that stand for every secret. */
export function environmentDefinition(
  { name, values = {} }: EnvironmentInput,
  refs: ReadonlyMap<string, string>,
): EnvironmentDefinition {
  const secrets = Object.fromEntries([...refs].map(([key, ref]) => [key, { ref }]));
  return { schema_version: 1, name, values, secrets };
}

/** The variables of an environment by name, without a value or a place (DI-049, EX-201). */
export function environmentKeys({ values, secrets }: EnvironmentDefinition): EnvironmentKey[] {
  const keys: EnvironmentKey[] = Object.keys(values).map((key) => ({ key, kind: 'value' }));
  for (const [key, { ref }] of Object.entries(secrets)) {
    const { version } = parseSecretRef(ref);
    keys.push({ key, kind: 'secret', ...(version === undefined ? {} : { version }) });
  }
  return keys.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Several environments as one: what a run's agent gets, with references in place of secrets. */
export interface MergedEnvironment {
  readonly values: Readonly<Record<string, string>>;
  readonly secretRefs: Readonly<Record<string, string>>;
}

/** In order, values then secrets of each; what comes later wins, whichever of the two it is (DI-110). */
export function mergeEnvironments(definitions: readonly EnvironmentDefinition[]): MergedEnvironment {
  const merged = new Map<string, { readonly value: string } | { readonly ref: string }>();
  for (const { values, secrets } of definitions) {
    for (const [key, value] of Object.entries(values)) merged.set(key, { value });
    for (const [key, { ref }] of Object.entries(secrets)) merged.set(key, { ref });
  }
  const entries = [...merged];
  return {
    values: Object.fromEntries(entries.flatMap(([key, at]) => ('value' in at ? [[key, at.value]] : []))),
    secretRefs: Object.fromEntries(entries.flatMap(([key, at]) => ('ref' in at ? [[key, at.ref]] : []))),
  };
}

// The text is never part of the message: it may be a secret.
function assertUsable(what: string, text: string): void {
  if (text.includes('\u0000'))
    throw new PalisadeError('invalid_input', `${what} holds a zero byte, which no environment variable can`);
}
