import { attestationSetting } from './attestation-setting.ts';
import type { ComposeOptions } from './compose.ts';
import { databaseSetting } from './database-setting.ts';
import { leaseSetting } from './lease-setting.ts';
import { policySetting } from './policy-setting.ts';
import { retentionSetting } from './retention-setting.ts';
import { sessionIdleSetting } from './session-idle-setting.ts';

/** What an operator sets by variables, as a composition takes it. Raises what the first wrong one raises. */
export function operatorSettings(
  env: Readonly<Record<string, string | undefined>>,
): Pick<
  ComposeOptions,
  'databaseUrl' | 'leaseMs' | 'retentionMs' | 'sessionIdleDays' | 'policy' | 'attestation'
> {
  const databaseUrl = databaseSetting(env);
  const leaseMs = leaseSetting(env);
  return {
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    ...(leaseMs === undefined ? {} : { leaseMs }),
    retentionMs: retentionSetting(env),
    sessionIdleDays: sessionIdleSetting(env),
    policy: policySetting(env),
    attestation: attestationSetting(env),
  };
}
