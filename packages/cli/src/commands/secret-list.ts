import { listSecrets } from '@palisade/contracts';
import { emit } from '../output/format.ts';
import { renderRows } from '../output/row.ts';
import { moment } from '../output/time.ts';
import type { secretListCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';

/** `pal secret list`: names, versions and ages; never values. */
export const execute: Handler<typeof secretListCommand> = async (invocation) => {
  const answer = await invocation.call(listSecrets, {});
  const { settings } = invocation;
  emit(invocation, {
    json: answer,
    records: answer.data,
    ids: answer.data.map((row) => row.ref),
    text: () =>
      answer.data.length === 0
        ? ['no secrets are stored']
        : renderRows(
            answer.data.map((row) => ({
              state: 'ok',
              id: row.name,
              title: row.ref,
              aside: `version ${row.version}  ${moment(row.created_at, settings.times)}`,
            })),
            settings.style,
          ),
  });
  return 0;
};
