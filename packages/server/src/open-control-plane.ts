import { existsSync } from 'node:fs';
import { callerOf, type OperationCaller } from '@palisade/contracts';
import { userName } from '@palisade/process/user-name';
import { attestationSetting } from './attestation-setting.ts';
import { compose } from './compose.ts';
import { databaseSetting } from './database-setting.ts';
import { engineLog } from './engine-log.ts';
import { engineLives, ensureEngine } from './ensure-engine.ts';
import { inControlPlaneHome } from './in-control-plane-home.ts';
import { layoutOf } from './layout.ts';
import { leaseSetting } from './lease-setting.ts';
import { type PolicyOrigin, policySetting } from './policy-setting.ts';
import { retentionSetting } from './retention-setting.ts';
import { sessionIdleSetting } from './session-idle-setting.ts';

/** An open control plane: the operations, in process. */
export interface ControlPlane extends OperationCaller {
  readonly directory: string;
  /** Which database answers; never with credentials. */
  readonly database: string;
  /** True on a full disk that no engine has open: what is stored can be read, and nothing changed. */
  readonly isReadOnly: boolean;
  /** Starts a detached engine process unless a live one serves this control plane. */
  ensureEngine(): Promise<void>;
  /** False when its files, which it was opened from, are gone. */
  exists(): boolean;
  /** True while an engine process that can be seen from here serves this control plane. */
  engineLives(): Promise<boolean>;
  close(): Promise<void>;
}

/** Opens the control plane of a project's root; `not_initialized` when there is none and `create` is not set. */
export async function openControlPlane(options: {
  readonly directory: string;
  readonly create?: boolean;
  /** Variables that stand for settings of the user, beside those of the process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Where the policy among these was stated, for whoever reads of a mistake in it. */
  readonly policyOrigin?: PolicyOrigin | undefined;
}): Promise<ControlPlane> {
  const layout = layoutOf(options.directory);
  const databaseUrl = databaseSetting(process.env);
  // What an engine would refuse is refused here, where somebody reads it.
  leaseSetting(process.env);
  const composition = await inControlPlaneHome(layout, options.create === true, () =>
    compose({
      layout,
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
      retentionMs: retentionSetting(process.env),
      sessionIdleDays: sessionIdleSetting(process.env),
      policy: policySetting({ ...process.env, ...options.environment }, options.policyOrigin),
      attestation: attestationSetting({ ...process.env, ...options.environment }),
      readWhenFull: true,
      onFault: engineLog(layout.engineLog).fault,
    }),
  );
  const { engineFile } = composition.plane;
  const caller = callerOf(composition.operations, process.env['PALISADE_ACTOR'] ?? `human:${userName()}`);
  return {
    directory: layout.root,
    database:
      databaseUrl === undefined ? `sqlite ${layout.database}` : `postgres ${new URL(databaseUrl).host}`,
    isReadOnly: composition.database.isReadOnly,
    call: (operation, input, context) => caller.call(operation, input, context),
    ensureEngine: () => ensureEngine({ layout, engineFile, databaseUrl, env: options.environment ?? {} }),
    exists: () => existsSync(databaseUrl === undefined ? layout.database : layout.home),
    engineLives: () => engineLives(engineFile),
    close: () => composition.close(),
  };
}
