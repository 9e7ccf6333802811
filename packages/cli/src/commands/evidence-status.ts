import { getEvidenceStatus } from '@palisade/contracts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { renderRows } from '../output/row.ts';
import { count, moment } from '../output/time.ts';
import type { evidenceStatusCommand } from '../tree/product-commands.ts';
import type { Handler } from './handler.ts';

/** `pal evidence status`: how many seals the log holds, and who attested how many of them, with what went wrong last. */
export const execute: Handler<typeof evidenceStatusCommand> = async (invocation) => {
  const status = await invocation.call(getEvidenceStatus, {});
  const { times, style } = invocation.settings;
  const { leaves, attesters } = status;
  emit(invocation, {
    json: status,
    records: attesters,
    ids: attesters.map(({ name }) => name),
    text: () => [
      `${foreignLine(status.log_origin)}  ${count(leaves, 'seal')}${attesters.length === 0 ? '  attested by nobody outside' : ''}`,
      ...renderRows(
        attesters.map((party) => ({
          state:
            party.failures > 0
              ? 'failed'
              : party.leaves < leaves || party.unverified === true
                ? 'waiting'
                : 'ok',
          id: party.kind,
          title: `${foreignLine(party.name)}  ${party.leaves} of ${leaves}${party.unverified === true ? ' unverified' : ''}`,
          aside: party.attested_at === undefined ? 'never' : moment(party.attested_at, times),
        })),
        style,
      ),
      ...attesters.flatMap(({ name, error, next_try_at }) =>
        error === undefined
          ? []
          : [
              `${foreignLine(name)}: ${foreignLine(error)}${next_try_at === undefined ? '' : `  again after ${moment(next_try_at, times)}`}`,
            ],
      ),
    ],
  });
  return 0;
};
