import type { Identity } from '@palisade/identity';
import { compose } from './compose.ts';
import { databaseSetting } from './database-setting.ts';
import { engineLog } from './engine-log.ts';
import { inControlPlaneHome } from './in-control-plane-home.ts';
import { layoutOf } from './layout.ts';

/** What only whoever holds the files of a control plane, or its database, may do to accounts (AC-034, AC-049). */
export interface HostAccounts extends Pick<Identity, 'initAdmin' | 'recoverPassword'> {
  close(): Promise<void>;
}

/**
 * Opens the accounts of a project's control plane, or of the database that the environment names, whether it is served or not: a
 * server reads at every call what it goes by. Raises `not_initialized`.
 */
export async function openHostAccounts(options: { readonly directory: string }): Promise<HostAccounts> {
  const layout = layoutOf(options.directory);
  const databaseUrl = databaseSetting(process.env);
  const { identity, close } = await inControlPlaneHome(layout, false, () =>
    compose({
      layout,
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
      onFault: engineLog(layout.engineLog).fault,
    }),
  );
  return {
    initAdmin: (input) => identity.initAdmin(input),
    recoverPassword: (input) => identity.recoverPassword(input),
    close,
  };
}
