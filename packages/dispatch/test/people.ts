import { type EventView, listEvents, listRequests, type RequestView, submitPlan } from '@palisade/contracts';
import type { EngineRig } from './engine-rig.ts';

/*
 * Who works with the runs of a test: people who submit and decide, what they are asked, and what the ledger says of it.
 */

/** Two people, as those who call. */
export const ANN = { actor: 'human:ann' };
export const BOB = { actor: 'human:bob' };

/** An item that a person decides. */
export const approvalItem = (id: string, approval: object = {}, more: object = {}) => ({
  id,
  executor: 'approval',
  approval: { prompt: `Publish what ${id} shows?`, ...approval },
  ...more,
});

/** Submits items as the run `r`, in the name of Ann. */
export const submitAsAnn = (rig: EngineRig, items: readonly object[], plan: object = {}) =>
  rig.ops.call(submitPlan, { run_id: 'r', plan: { items, ...plan } }, ANN);

/** Waits until something is so. */
export async function until(look: () => Promise<boolean>): Promise<void> {
  while (!(await look())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** What people are asked now, once there is as much as that. */
export async function openRequests(rig: EngineRig, n = 1): Promise<readonly RequestView[]> {
  let found: readonly RequestView[] = [];
  await until(async () => (found = (await rig.ops.call(listRequests, {})).data).length >= n);
  return found;
}

/** What people are asked about an item of the run `r`, once they are. */
export async function requestOf(rig: EngineRig, item: string): Promise<RequestView> {
  for (;;) {
    const { data } = await rig.ops.call(listRequests, { run: 'r' });
    const found = data.find((each) => each.item === item);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The events of a run so far, all or those of one type. */
export async function eventsOf(rig: EngineRig, run: string, type?: string): Promise<readonly EventView[]> {
  const { data } = await rig.ops.call(listEvents, { run, limit: 1_000 });
  return type === undefined ? data : data.filter((event) => event.type === type);
}
