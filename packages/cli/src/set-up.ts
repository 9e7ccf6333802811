import type { Invocation } from './invocation.ts';
import { foreignName } from './output/foreign-text.ts';
import { findProject, findWorkingTree } from './project.ts';

/** Where the control plane of a directory is, or would be made. */
export interface ControlPlaneHome {
  readonly directory: string;
  /** True when there is none yet. */
  readonly created: boolean;
}

/** The nearest control plane upwards; else the top of the git working tree, or the directory itself outside of one. */
export function controlPlaneHome({ directory }: Pick<Invocation, 'directory'>): ControlPlaneHome {
  const existing = findProject(directory);
  return {
    directory: existing ?? findWorkingTree(directory) ?? directory,
    created: existing === undefined,
  };
}

/** Tells that a control plane came into being: it holds keys, and is the first thing to be kept or removed. */
export function sayCreated({ err }: Pick<Invocation, 'err'>, { directory }: ControlPlaneHome): void {
  err.line(`note: control plane created in ${foreignName(directory)} (pal init)`);
}

/** Makes the control plane unless there is one. Git never sees it: it holds keys. */
export async function setUp(invocation: Invocation): Promise<ControlPlaneHome> {
  const home = controlPlaneHome(invocation);
  const plane = await invocation.connections.openControlPlane({ directory: home.directory, create: true });
  await plane.close();
  return home;
}
