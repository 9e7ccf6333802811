import { exportEvidence } from '@palisade/contracts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { renderRows } from '../output/row.ts';
import { count } from '../output/time.ts';
import type { evidenceShowCommand } from '../tree/product-commands.ts';
import type { Handler } from './handler.ts';

/** `pal evidence show RUN`: what the bundle holds. It shows and proves nothing; `pal verify` recomputes. */
export const execute: Handler<typeof evidenceShowCommand> = async (invocation, args) => {
  const bundle = await invocation.call(exportEvidence, { run: args.run });
  const { settings } = invocation;
  const log = { leaf_index: bundle.log.leaf_index, tree_size: bundle.log.tree_size };
  emit(invocation, {
    json: {
      run_id: bundle.run_id,
      entries: bundle.entries.length,
      manifests: bundle.manifests.length,
      items: bundle.items,
      log,
    },
    records: bundle.items,
    ids: bundle.items.map((item) => item.id),
    text: () => [
      `${foreignLine(bundle.run_id)}  ${count(bundle.entries.length, 'event')}, ${count(bundle.manifests.length, 'manifest')}, leaf ${log.leaf_index} of ${log.tree_size}`,
      ...renderRows(
        bundle.items.map((item) => ({
          state: foreignLine(item.status),
          id: item.id,
          title: count(item.attempts, 'attempt'),
          aside: item.result_ref?.slice(0, 19) ?? '',
        })),
        settings.style,
      ),
    ],
  });
  invocation.hint(`pal verify ${bundle.run_id}`, `pal evidence export ${bundle.run_id} -o FILE`);
  return 0;
};
