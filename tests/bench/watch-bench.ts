import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { getRun, type OperationCaller, setQueue, submitPlan } from '@palisade/contracts';
import { openEmbedded } from '@palisade/server';
import { Calls } from '../../packages/embed/src/calls.ts';
import { followEvents } from '../../packages/embed/src/follow.ts';
import { noopExecutor } from './noop-executor.ts';
import { report } from './report.ts';

const noop = noopExecutor('noop');

/**
 * What a watcher of a running plan is sent, from its first event to its end, for small and large plans: with a fixed number
 * of changes for each item it must grow with the changes alone (DI-179), not with items times changes. Status in
 * between is the run without its items, whose size does not depend on how many there are.
 */
export async function benchWatch(directory: string, short: boolean): Promise<void> {
  const root = join(directory, 'watch');
  mkdirSync(root);
  const plane = await openEmbedded({
    directory: root,
    create: true,
    engine: 'embedded',
    modules: {},
    seams: { executors: [() => noop] },
  });
  try {
    await plane.call(setQueue, { name: 'default', concurrency: 64 });
    const sizes = short ? [50, 1_000] : [50, 500, 5_000];
    const each: { readonly perEvent: number; readonly status: number }[] = [];
    for (const n of sizes) {
      const traffic = await watched(plane, n);
      each.push(traffic);
      report(`watch.bytes_per_event.${n}`, traffic.perEvent, 'B', 'lower');
    }
    const [small, large] = [each[0], each.at(-1)];
    if (small === undefined || large === undefined) return;
    report('watch.bytes_per_event_growth', large.perEvent / small.perEvent, 'x', 'lower', null, '<= 1.2');
    report('status.bytes_growth', large.status / small.status, 'x', 'lower', null, '<= 1.2');
  } finally {
    await plane.close();
  }
}

async function watched(
  plane: OperationCaller,
  n: number,
): Promise<{ readonly perEvent: number; readonly status: number }> {
  let bytes = 0;
  const counted: OperationCaller = {
    async call(operation, input, context) {
      const answer = await plane.call(operation, input, context);
      bytes += Buffer.byteLength(JSON.stringify(answer));
      return answer;
    },
  };
  const run = `watched-${n}`;
  const items = Array.from({ length: n }, (_, i) => ({ id: `i${i}`, executor: noop.name, command: 'true' }));
  await plane.call(submitPlan, { plan: { items }, run_id: run });
  let events = 0;
  for await (const _ of followEvents(new Calls(counted, async () => {}), run, -1, undefined)) events++;
  const { run: view, items: none } = await plane.call(getRun, { run, items: 'none' });
  if (view.state !== 'completed' || none.length > 0) throw new Error(`${run} ended ${view.state}`);
  return { perEvent: bytes / events, status: Buffer.byteLength(JSON.stringify(view)) };
}
