import { exportEvidence, getTrustRoot } from '@palisade/contracts';
import { bundleBytes } from '@palisade/evidence';
import { foreignName } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { byteSize, count } from '../output/time.ts';
import { trustRootBytes } from '../products/trust-root.ts';
import type { evidenceExportCommand } from '../tree/product-commands.ts';
import { writeOutput } from '../write-output.ts';
import type { Handler } from './handler.ts';

/** `pal evidence export RUN`: the bundle, to a file or to standard output, byte for byte canonical. */
export const execute: Handler<typeof evidenceExportCommand> = async (invocation, args, flags) => {
  const bundle = await invocation.call(exportEvidence, { run: args.run });
  const bytes = bundleBytes(bundle);
  const trustFile = flags.trustRoot;
  if (trustFile !== undefined) {
    const { trust_root } = await invocation.call(getTrustRoot, {});
    const bytes = trustRootBytes(trust_root);
    const path = await writeOutput(invocation, trustFile, flags.force, (file) => file.writeFile(bytes));
    invocation.err.line(`ok       public keys of this installation  ${foreignName(path)}`);
  }
  if (flags.output === undefined) {
    if (invocation.settings.format === 'text') {
      invocation.out.write(bytes);
      invocation.out.line();
      return 0;
    }
    emit(invocation, { json: bundle, records: bundle.entries, ids: [bundle.run_id], text: () => [] });
    return 0;
  }
  const path = await writeOutput(invocation, flags.output, flags.force, (file) => file.writeFile(bytes));
  emit(invocation, {
    json: bundle,
    records: [{ run_id: bundle.run_id, file: path, size: bytes.length }],
    ids: [bundle.run_id],
    text: () => [
      `ok       ${bundle.run_id}  ${count(bundle.entries.length, 'event')}  ${byteSize(bytes.length)}  ${foreignName(path)}`,
    ],
  });
  invocation.hint(`pal verify ${flags.output} --trust ${trustFile ?? 'TRUST_ROOT'}`);
  return 0;
};
