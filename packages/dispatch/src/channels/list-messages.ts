import type { CallContext, listMessages } from '@palisade/contracts';
import { resolveRun } from '@palisade/runs';
import type * as z from 'zod';
import type { PlanDeps } from '../plans/plan-deps.ts';
import { type Delivery, deliveriesOf, messagesAfter } from './channel-store.ts';
import { knownItem } from './known-item.ts';

type Input = z.output<(typeof listMessages)['input']>;
type Output = z.output<(typeof listMessages)['output']>;

/** What an item was sent, oldest first, with the attempts it has come to. */
export async function list(deps: PlanDeps, input: Input, context: CallContext): Promise<Output> {
  return deps.database.read(async (tx) => {
    const run = await resolveRun(tx, context.project, input.run);
    await knownItem(tx, run.id, input.item);
    const deliveries = await deliveriesOf(tx, run.id, input.item);
    const messages = await messagesAfter(tx, run.id, input.item, 0);
    return { data: messages.map((each) => ({ ...each, delivered: deliveredOf(each.seq, deliveries) })) };
  });
}

/** The first delivery of each attempt that reaches as far as this message. */
function deliveredOf(seq: number, deliveries: readonly Delivery[]) {
  const first = new Map<number, number>();
  for (const { attempt, through, at } of deliveries)
    if (through >= seq && !first.has(attempt)) first.set(attempt, at);
  return [...first].map(([attempt, at]) => ({ attempt, at }));
}
