import type { Invocation } from '../invocation.ts';

type AnyHandler = (
  invocation: Invocation,
  args: Readonly<Record<string, unknown>>,
  flags: Readonly<Record<string, unknown>>,
) => Promise<number>;

// The tree's declaration of the same path is what was parsed, so the values have the handler's types.
const loaders: Readonly<Record<string, () => Promise<{ readonly execute: unknown }>>> = {
  run: () => import('./run.ts'),
  watch: () => import('./watch.ts'),
  status: () => import('./status.ts'),
  show: () => import('./show.ts'),
  logs: () => import('./logs.ts'),
  events: () => import('./events.ts'),
  explain: () => import('./explain.ts'),
  cancel: () => import('./cancel.ts'),
  rerun: () => import('./rerun.ts'),
  help: () => import('./help.ts'),
  version: () => import('./version.ts'),
};

/** Loads one command's code, and nothing of the others. */
export async function loadCommand(path: string): Promise<AnyHandler> {
  const load = loaders[path];
  if (load === undefined) throw new Error(`command ${path} has no code`);
  return (await load()).execute as AnyHandler;
}
