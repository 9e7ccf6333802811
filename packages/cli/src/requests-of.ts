import { getRun, listRequests, PalisadeError, type RequestView } from '@palisade/contracts';
import type { Invocation } from './invocation.ts';
import { itemNamed, parseItemRef } from './item-ref.ts';

const LIMIT = 1_000;

/** What an item is asking now, to be shown to whoever is about to answer; `not_found` for no item of the run, `invalid_state` when it asks nothing. */
export async function askedBy(
  invocation: Invocation,
  target: string,
  command: 'approve' | 'answer',
): Promise<RequestView & { readonly state: 'open' | 'expired' }> {
  const { run, item } = await itemOf(invocation, target);
  const { data } = await invocation.call(listRequests, { run, limit: LIMIT });
  const found = data.find((request) => request.item === item);
  if (found === undefined) {
    const { run: known, items } = await invocation.call(getRun, { run });
    itemNamed(items, known.id, item, command);
  }
  if (found === undefined || (found.state !== 'open' && found.state !== 'expired'))
    throw new PalisadeError('invalid_state', `${target} asks nothing`, { next: 'pal inbox' });
  return { ...found, state: found.state };
}

/** The run and the item of `RUN/ITEM`; of `RUN` alone the only item of it that asks something. */
export async function itemOf(
  invocation: Invocation,
  target: string,
): Promise<{ readonly run: string; readonly item: string }> {
  const { run, item } = parseItemRef(target);
  if (item !== undefined) return { run, item };
  const { data } = await invocation.call(listRequests, { run, limit: LIMIT });
  const [only, ...others] = data;
  if (only === undefined)
    throw new PalisadeError('invalid_state', `${target} asks nothing`, { next: 'pal inbox' });
  if (others.length > 0)
    throw new PalisadeError('ambiguous_id', `${target} asks ${data.length} things`, {
      next: `pal inbox ${only.run_id}`,
    });
  return { run: only.run_id, item: only.item };
}
