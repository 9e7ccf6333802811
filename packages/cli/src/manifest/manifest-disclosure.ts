import type { ModelEndpointInput } from '@palisade/contracts';
import { foreignLine, foreignName } from '../output/foreign-text.ts';
import type { Manifest } from './manifest-schema.ts';
import type { MergedSources } from './manifest-secrets.ts';

/*
 * What a manifest takes from whoever deploys it, and where it would send secrets (DI-050). Threat: a manifest of
 * somebody else names the deployer's own credentials, or the address of a stranger for a secret that is stored here.
 * Both are told before anything is set.
 */

/** Something of the deployer's that a manifest takes, and everything it goes into. */
interface Taken {
  readonly source: 'variable' | 'file' | 'directory' | 'standard_input';
  /** Of the variable, or the path as the manifest says it. */
  readonly name?: string;
  /** A plain value is kept in the clear; content is what a capability or an agent consists of. */
  readonly as: 'value' | 'secret' | 'content';
  /** Such as `env ci`. */
  readonly of: readonly string[];
}

/** A secret, if any, that calls through a model endpoint carry to its origin. */
interface Sent {
  readonly model_endpoint: string;
  readonly origin: string;
  readonly secret?: string;
}

export interface Disclosure {
  readonly takes: readonly Taken[];
  readonly sends: readonly Sent[];
}

/** @param merged the environments with their bases, by name */
export function disclosureOf(manifest: Manifest, merged: ReadonlyMap<string, MergedSources>): Disclosure {
  const takes = new Map<string, Taken & { readonly of: string[] }>();
  const take = (taken: Omit<Taken, 'of'>, of: string): void => {
    const key = JSON.stringify([taken.source, taken.name, taken.as]);
    const found = takes.get(key);
    if (found === undefined) takes.set(key, { ...taken, of: [of] });
    else if (!found.of.includes(of)) found.of.push(of);
  };
  for (const [name, { values, secrets }] of merged) {
    const of = `env ${name}`;
    for (const value of values.values())
      if (typeof value !== 'string') take({ source: 'variable', name: value.from_env, as: 'value' }, of);
    for (const { from_env: variable, from_file: file, from_stdin: isInput } of secrets.values()) {
      if (variable !== undefined) take({ source: 'variable', name: variable, as: 'secret' }, of);
      if (file !== undefined) take({ source: 'file', name: file, as: 'secret' }, of);
      if (isInput === true) take({ source: 'standard_input', as: 'secret' }, of);
    }
  }
  for (const { name, from } of manifest.capabilities ?? [])
    take({ source: 'directory', name: from, as: 'content' }, `capability ${name}`);
  for (const { name, from } of manifest.agents ?? [])
    if (from !== undefined) take({ source: 'file', name: from, as: 'content' }, `agent ${name}`);
  return { takes: [...takes.values()], sends: (manifest.model_endpoints ?? []).map(sentTo) };
}

/** One line for each. */
export function disclosureLines({ takes, sends }: Disclosure): string[] {
  return [
    ...takes.map(({ source, name, as, of }) => {
      const what = source === 'standard_input' ? 'standard input' : `${source} ${foreignName(name ?? '')}`;
      const into = of.map(foreignLine).join(', ');
      return `takes  ${what} -> ${as === 'content' ? into : `${as} of ${into}`}`;
    }),
    ...sends.map(
      ({ model_endpoint: endpoint, origin, secret }) =>
        `sends  ${foreignLine(secret ?? 'no secret')} -> ${origin}  by model-endpoint ${foreignLine(endpoint)}`,
    ),
  ];
}

function sentTo({ name, url, secret }: ModelEndpointInput): Sent {
  const { origin } = new URL(url);
  return { model_endpoint: name, origin, ...(secret === undefined ? {} : { secret }) };
}
