import type { Invocation } from '../invocation.ts';
import type { ArgumentValues, Declaration, FlagValues } from '../tree/declaration.ts';

/** What a command file exports as `execute`. Resolves to the exit code. */
export type Handler<D extends Declaration> = (
  invocation: Invocation,
  args: ArgumentValues<D>,
  flags: FlagValues<D>,
) => Promise<number>;
