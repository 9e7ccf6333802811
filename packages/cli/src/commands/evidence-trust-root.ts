import { getTrustRoot } from '@palisade/contracts';
import { foreignName } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import type { evidenceTrustRootCommand } from '../tree/product-commands.ts';
import { trustRootBytes } from '../products/trust-root.ts';
import { writeOutput } from '../write-output.ts';
import type { Handler } from './handler.ts';

/** `pal evidence trust-root`: every public key of this installation with its period, to a file or to standard output. */
export const execute: Handler<typeof evidenceTrustRootCommand> = async (invocation, _args, flags) => {
  const { trust_root } = await invocation.call(getTrustRoot, {});
  const bytes = trustRootBytes(trust_root);
  const file =
    flags.output === undefined
      ? undefined
      : await writeOutput(invocation, flags.output, flags.force, (handle) => handle.writeFile(bytes));
  emit(invocation, {
    json: { trust_root },
    records: [trust_root as object],
    ids: file === undefined ? [] : [file],
    text: () =>
      file === undefined
        ? bytes.toString().trimEnd().split('\n')
        : [`ok       public keys of this installation  ${foreignName(file)}`],
  });
  invocation.hint(`pal verify BUNDLE --trust ${flags.output ?? 'FILE'}`);
  return 0;
};
