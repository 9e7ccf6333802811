import { decideRequest } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import { itemOf } from '../requests-of.ts';

/** Decides what an item asks, lets an engine act on it, and says so. */
export async function decide(
  invocation: Invocation,
  decision: 'approve' | 'deny',
  target: string,
  flags: { readonly hash: string | undefined; readonly reason: string | undefined },
): Promise<number> {
  const { run, item } = await itemOf(invocation, target);
  const answer = await invocation.call(decideRequest, {
    run,
    item,
    decision,
    ...(flags.hash === undefined ? {} : { hash: flags.hash }),
    ...(flags.reason === undefined ? {} : { reason: flags.reason }),
    ...invocation.rehearsed,
  });
  if (!invocation.isDryRun) await (await invocation.controlPlane()).ensureEngine();
  const { request } = answer;
  const id = `${request.run_id}/${request.item}`;
  emit(invocation, {
    json: answer,
    records: [request],
    ids: [id],
    text: () => [
      `${outcome(invocation, decision)}${id}  ${request.state} by ${foreignLine(request.answered_by ?? '')}`,
    ],
  });
  if (!invocation.isDryRun) invocation.hint(`pal watch ${request.run_id}`);
  return 0;
}
