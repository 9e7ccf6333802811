import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setQueue, submitPlan } from '@palisade/contracts';
import { ended, makeRepository, openAt, removeInstallation } from '../support/installation.ts';
import { report } from './report.ts';

/** How many items run at once: enough that no core waits, few enough that none starves. */
const WIDTH = availableParallelism() * 2;

/**
 * Independent items that each start a real program in a real workspace and sandbox, through the whole engine, beside
 * what this machine needs to start as many programs with nothing around them. Three floors: the program alone; a Node that
 * does nothing, because an attempt is a process of its own; and three commands of git around the program, which is the
 * least that gives a workspace and a patch.
 */
export async function benchSubprocesses(short: boolean): Promise<void> {
  const items = short ? 60 : 1_000;
  const bare = await perSecond(items, ['/bin/sh', '-c', 'true']);
  const node = await perSecond(Math.min(items, 200), [process.execPath, '-e', '0']);
  const hand = await byHandPerSecond(Math.min(items, 200));
  report('floor.spawns_per_s', bare, '1/s', 'higher');
  report('floor.node_starts_per_s', node, '1/s', 'higher', bare);
  report('floor.clone_and_patch_per_s', hand, '1/s', 'higher', bare);
  for (const sandbox of ['process', 'bubblewrap']) {
    const rate = await itemsPerSecond(items, sandbox);
    report(`subprocess.${sandbox}_items_per_s.${items}`, rate, 'items/s', 'higher', bare, '>= 0.67x');
    report(`subprocess.${sandbox}_items_per_node_start.${items}`, rate, 'items/s', 'higher', node);
    report(`subprocess.${sandbox}_items_per_clone_and_patch.${items}`, rate, 'items/s', 'higher', hand);
  }
}

async function itemsPerSecond(count: number, sandbox: string): Promise<number> {
  const root = makeRepository({ 'a.txt': 'zero\n' });
  try {
    const plane = await openAt(root);
    try {
      await plane.call(setQueue, { name: 'default', concurrency: WIDTH });
      await plane.ensureEngine();
      const run = async (n: number, run_id: string): Promise<number> => {
        const items = Array.from({ length: n }, (_, i) => ({ id: `i${i}`, command: 'true' }));
        const start = performance.now();
        await plane.call(submitPlan, { plan: { items }, run_id, repository: root, sandbox });
        const { run: view } = await ended(plane, run_id, 900_000);
        if (view.state !== 'completed') throw new Error(`${run_id} ended ${view.state}`);
        return performance.now() - start;
      };
      await run(WIDTH, 'warm');
      return (count / (await run(count, 'bench'))) * 1_000;
    } finally {
      await plane.close();
    }
  } finally {
    removeInstallation(root);
  }
}

/** The same work without a record, a sandbox or a proof: a clone, the program, the patch, and the clone removed. */
async function byHandPerSecond(count: number): Promise<number> {
  const root = makeRepository({ 'a.txt': 'zero\n' });
  const script = `set -e; tree="$(mktemp -d)"; git clone -q --shared '${root}' "$tree"; cd "$tree"
    /bin/sh -c true; git add -A; git diff --cached --binary HEAD >"$tree.patch"; rm -r "$tree" "$tree.patch"`;
  try {
    return await perSecond(count, ['/bin/sh', '-c', script]);
  } finally {
    removeInstallation(root);
  }
}

/** Programs that do nothing, as many at once as items run. */
async function perSecond(count: number, [program = '', ...args]: readonly string[]): Promise<number> {
  let left = count;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: WIDTH }, async () => {
      while (left-- > 0)
        await new Promise<void>((resolve, reject) => {
          const child = spawn(program, args, { stdio: 'ignore', env: { PATH: '/usr/bin:/bin' } });
          child.once('close', (code) => {
            if (code === 0) resolve();
            else reject(new Error(`${program} ended with ${code}`));
          });
          child.once('error', reject);
        });
    }),
  );
  return (count / (performance.now() - start)) * 1_000;
}
