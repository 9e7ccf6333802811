import { mkdir, readdir } from 'node:fs/promises';
import { PalisadeError } from '@palisade/contracts';
import { holdsControlPlane } from '@palisade/contracts/control-plane-files';
import { type Layout, layoutOf } from './layout.ts';

/** Where a project keeps its control plane, made when `create` says so; `not_initialized` when there is none. */
export async function controlPlaneHome(directory: string, create: boolean): Promise<Layout> {
  const layout = layoutOf(directory);
  const names = await readdir(layout.home).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (names === undefined || !holdsControlPlane(names)) {
    if (!create)
      throw new PalisadeError('not_initialized', `there is no control plane in ${directory}`, {
        next: 'palisade init',
      });
    await mkdir(layout.home, { recursive: true, mode: 0o700 });
  }
  return layout;
}
