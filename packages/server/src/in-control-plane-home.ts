import { mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import { holdsControlPlane } from '@palisade/contracts/control-plane-files';
import { hideFromGit } from '@palisade/workspace';
import type { Layout } from './layout.ts';

/**
 * Opens what a project keeps in its control plane's directory, which is made when `create` says so; `not_initialized` when there is none.
 * Git does not see it, before there is anything in it (FF-026). One that was made here does not outlive an opening that failed before it put anything there: it would pass for a control plane.
 */
export async function inControlPlaneHome<T>(
  layout: Layout,
  create: boolean,
  open: () => Promise<T>,
): Promise<T> {
  const names = await readdir(layout.home).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (names !== undefined && holdsControlPlane(names)) {
    const opened = await open();
    // One that is refused is left as it is.
    await hideFromGit(layout.home);
    return opened;
  }
  if (!create)
    throw new PalisadeError('not_initialized', `there is no control plane in ${layout.root}`, {
      next: 'palisade init',
    });
  await mkdir(layout.home, { recursive: true, mode: 0o700 });
  await hideFromGit(layout.home);
  try {
    return await open();
  } catch (error) {
    await rm(join(layout.home, '.gitignore'), { force: true });
    // Never with what is in it: another process may have made a control plane there by now.
    await rmdir(layout.home).catch(() => hideFromGit(layout.home));
    throw error;
  }
}
