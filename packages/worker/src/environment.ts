import { firewall } from '@palisade/contracts';

export interface EnvironmentSources {
  /** The worker's own environment. */
  readonly base: Readonly<Record<string, string | undefined>>;
  readonly allow: readonly string[];
  /** Private places of this attempt, as the programs see them. */
  readonly places: Readonly<Record<'HOME' | 'PWD' | 'TMPDIR' | 'GIT_CEILING_DIRECTORIES', string>>;
  /** Values of the attempt's environments, already merged in their order. */
  readonly values: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** The documented `PALISADE_` variables, see docs/harness-contract.md. */
  readonly contract: Readonly<Record<string, string>>;
}

/**
 * The whole environment of a program: firewalled base, private places, environment values, secrets,
 * contract variables; a later source wins (DI-110). The contract's own names cannot be replaced.
 */
export function mergeEnvironment(sources: EnvironmentSources): Record<string, string> {
  const merged: Record<string, string> = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    ...firewall(sources.base, sources.allow),
    ...sources.places,
    TMP: sources.places.TMPDIR,
    TEMP: sources.places.TMPDIR,
    ...sources.values,
    ...sources.secrets,
  };
  for (const name of Object.keys(merged)) if (name.startsWith('PALISADE_')) delete merged[name];
  return { ...merged, ...sources.contract };
}
