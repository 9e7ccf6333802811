import type { extendRun } from '@palisade/contracts';
import type { Invocation, Output } from './invocation.ts';
import { emit } from './output/format.ts';
import { renderRow } from './output/row.ts';
import { count } from './output/time.ts';

/** Says what an open-ended run came to have, and sees to it that somebody works on it. */
export async function sayExtended(invocation: Invocation, answer: Output<typeof extendRun>): Promise<0> {
  const { isDryRun, settings } = invocation;
  if (!isDryRun) await (await invocation.controlPlane()).ensureEngine();
  const { run_id: id, added, already, items, closed } = answer;
  const facts = [
    ...(added.length > 0 || already.length === 0 ? [`${count(added.length, 'item')} added`] : []),
    ...(already.length === 0 ? [] : [`${already.length} there already`]),
    `${items} in all`,
    ...(closed ? ['closed'] : []),
  ];
  const title = `${isDryRun ? 'would be: ' : ''}${facts.join(', ')}`;
  emit(invocation, {
    json: answer,
    records: [
      ...added.map((item) => ({ item, added: true })),
      ...already.map((item) => ({ item, added: false })),
    ],
    ids: [...added],
    text: () => [renderRow({ state: closed ? 'closed' : 'open', id, title }, settings.style)],
  });
  if (!isDryRun) invocation.hint(closed ? `pal watch ${id}` : `pal close ${id}`);
  return 0;
}
