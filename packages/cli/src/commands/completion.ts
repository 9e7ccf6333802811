import { completionScript, shells } from '../completion/script.ts';
import { emit } from '../output/format.ts';
import type { completionCommand } from '../tree/installation-commands.ts';
import { nearest } from '@palisade/contracts/nearest';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

/** `pal completion SHELL`: a script that completes without starting Palisade. */
export const execute: Handler<typeof completionCommand> = async (invocation, args) => {
  const shell = shells.find((name) => name === args.shell);
  if (shell === undefined) {
    const meant = nearest(args.shell, shells);
    throw new UsageError(`no completion for "${args.shell}"`, {
      next: `pal completion ${meant ?? shells.join('|')}`,
    });
  }
  const script = completionScript(shell);
  emit(invocation, {
    json: { shell, script },
    records: [{ shell, script }],
    ids: [shell],
    text: () => script.trimEnd().split('\n'),
  });
  return 0;
};
