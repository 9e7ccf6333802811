import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { PalisadeError } from '@palisade/contracts';
import { type Layout, layoutOf } from './layout.ts';

/** Where a project keeps its control plane, made when `create` says so; `not_initialized` when there is none. */
export async function controlPlaneHome(directory: string, create: boolean): Promise<Layout> {
  const layout = layoutOf(directory);
  if (!existsSync(layout.home)) {
    if (!create)
      throw new PalisadeError('not_initialized', `there is no control plane in ${directory}`, {
        next: 'palisade init',
      });
    await mkdir(layout.home, { recursive: true, mode: 0o700 });
  }
  return layout;
}
