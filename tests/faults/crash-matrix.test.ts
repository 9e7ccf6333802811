import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  FAULT_POINTS,
  type FaultPoint,
  getArtifact,
  getMetrics,
  isPalisadeError,
  listRuns,
  submitPlan,
} from '@palisade/contracts';
import type { ControlPlane } from '@palisade/server';
import { afterEach, expect, it } from 'vitest';
import { recountEvents, toldCounts } from '../../packages/dispatch/test/recount-events.ts';
import {
  attemptsOf,
  ended,
  makeRepository,
  openAt,
  palisade,
  processesOf,
  removeInstallation,
  startEngine,
  until,
  verified,
} from '../support/installation.ts';
import { eachInstallationDatabase } from '../support/installation-database.ts';

const PLAN = {
  title: 'crash',
  items: [
    { id: 'a', command: 'echo one >> a.txt', retry: { backoff_ms: 10 } },
    {
      id: 'b',
      command: 'cat a.txt > b.txt',
      needs: { work: { from: 'a', select: { kind: 'patch' }, apply: true } },
      resourceLocks: ['db'],
      retry: { backoff_ms: 10 },
    },
  ],
};

/**
 * A worker knows no database: wherever it dies, the engine finds a claim without a result or one with it. So one of each
 * is enough on the second database.
 */
const AGAIN: readonly FaultPoint[] = ['worker.claimed', 'worker.after-result'];

eachInstallationDatabase('crash matrix', (makeDatabase, dialect) => {
  let root = '';
  afterEach(() => removeInstallation(root));
  const points = FAULT_POINTS.filter(
    (point) => dialect === 'sqlite' || !point.startsWith('worker.') || AGAIN.includes(point),
  );

  for (const point of points) {
    it(`DI-177 DI-180 FF-051 FF-055: killed at ${point}, every item ends once and is counted once, and its product is kept`, {
      timeout: 120_000,
    }, async () => {
      root = makeRepository({ 'a.txt': 'zero\n' });
      const database = await makeDatabase();
      const sign = join(root, '.git', 'palisade-fault');
      const env = { ...database.env, PALISADE_FAULT: point, PALISADE_FAULT_SIGN: sign };
      const plane = await database.within(() => openAt(root));
      try {
        const runId = `crash-${point}`;
        if (point.startsWith('submit.')) {
          await crashSubmission(root, runId, env);
          // A person who saw the command die repeats it; it must neither double nor lose the run.
          await plane.call(submitPlan, { plan: PLAN, run_id: runId, repository: root });
        } else {
          await plane.call(submitPlan, { plan: PLAN, run_id: runId, repository: root });
          // It may die before whoever started it has seen its sign.
          await startEngine(plane, env).catch((error: unknown) => {
            if (!isPalisadeError(error, 'start_failed')) throw error;
          });
          await crashed(plane, point);
        }
        await database.within(() => startEngine(plane));
        const { run, items } = await ended(plane, runId);
        expect(items.map((item) => [item.id, item.state, item.reason])).toEqual([
          ['a', 'done', undefined],
          ['b', 'done', undefined],
        ]);
        expect(run.state).toBe('completed');
        // A point that nobody passes would prove nothing.
        expect(readFileSync(sign, 'utf8').trim().split('\n')).toContain(point);
        expect((await plane.call(listRuns, {})).data.map((other) => other.id)).toEqual([runId]);

        const patches = [];
        for (const item of items) {
          const ref = item.product?.result_ref;
          if (ref === undefined) throw new Error(`${item.id} has no product`);
          patches.push(Buffer.from((await plane.call(getArtifact, { ref })).base64, 'base64').toString());
        }
        expect(patches[0]).toContain('+one');
        expect(patches[1]).toContain('+zero\n+one');

        const { bundle, report } = await verified(plane, runId);
        expect(report.checks.filter((check) => check.ok === false)).toEqual([]);
        expect(report.intact).toBe(true);
        const ends = bundle.entries
          .filter((entry) => entry.type === 'item.reconciled' && entry.data['status'] === 'done')
          .map((entry) => entry.data['item']);
        expect(ends).toEqual(['a', 'b']);
        const { data: figures } = await plane.call(getMetrics, {});
        expect(toldCounts(figures)).toEqual(recountEvents(bundle.entries));

        await until('nothing but the engine to be left', async () => {
          const attempts = attemptsOf(root).length;
          return attempts === 0 && processesOf(root).every((line) => line.includes('engine-process'));
        });
      } finally {
        await plane.close();
      }
    });
  }
});

async function crashSubmission(root: string, runId: string, env: Record<string, string>): Promise<void> {
  writeFileSync(join(root, '.palisade', 'plan.json'), JSON.stringify(PLAN));
  const result = await palisade(root, ['run', '.palisade/plan.json', '--detach', '--run-id', runId], env);
  expect(result.signal, result.stderr).toBe('SIGKILL');
}

/** A point in the worker ends the worker, and the engine carries on by itself; any other ends the engine. */
async function crashed(plane: ControlPlane, point: FaultPoint): Promise<void> {
  if (point.startsWith('worker.')) return;
  await until(`the engine to die at ${point}`, async () => !(await plane.engineLives()));
}
