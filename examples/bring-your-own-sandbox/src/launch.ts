import { fileURLToPath } from 'node:url';

/** The program that is process 1 inside; see its head comment. */
export const INIT = fileURLToPath(new URL('./init.mjs', import.meta.url));

/**
 * `--kill-child`: when this process dies, so does process 1 of the namespace, and with it everything
 * inside. The user becomes root in the user namespace only, which is what allows the mounts.
 */
export const UNSHARE = [
  'unshare',
  '--user',
  '--map-root-user',
  '--mount',
  '--mount-proc',
  '--pid',
  '--fork',
  '--kill-child=KILL',
] as const;

/** What the supervisor tells the init on descriptor 3, as the first line. */
export interface Job {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly readOnlyPaths: readonly string[];
}

/** What the init reports on descriptor 4: how the program ended, or why it did not start. */
export type Report =
  | { readonly code: number | null; readonly signal: string | null }
  | { readonly errno: string };
