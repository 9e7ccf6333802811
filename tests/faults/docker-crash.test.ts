import { exportEvidence, submitPlan } from '@palisade/contracts';
import type { ControlPlane } from '@palisade/server';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import {
  type PrivateEngine,
  startEngine as startDocker,
  whyNoEngine,
} from '../../packages/providers/sandbox-docker/test/private-engine.ts';
import {
  attemptsOf,
  ended,
  makeRepository,
  openAt,
  removeInstallation,
  startEngine,
  until,
  verified,
} from '../support/installation.ts';
import { eachInstallationDatabase } from '../support/installation-database.ts';
import { enginesOf, processTable, running, uniqueSeconds, workersOf } from '../support/processes.ts';

const skip = whyNoEngine();
const docker = skip === null ? await startDocker() : null;
afterAll(() => docker?.stop());
let root = '';
afterEach(() => removeInstallation(root));

type Part = 'worker' | 'engine' | 'docker';
/** Who is killed while the agent runs, and how often it then was tried. */
const CRASHES: readonly { readonly killed: readonly Part[]; readonly attempts: number }[] = [
  { killed: ['docker'], attempts: 2 },
  { killed: ['engine'], attempts: 1 },
  { killed: ['worker', 'docker'], attempts: 2 },
  { killed: ['worker', 'engine', 'docker'], attempts: 2 },
];

describe.skipIf(docker === null)(
  `crashes around a container${skip === null ? '' : ` (skipped: ${skip})`}`,
  () => {
    eachInstallationDatabase('docker', (makeDatabase, dialect) => {
      // Containers know no database: on the second one it is enough that everything dies.
      for (const { killed, attempts } of dialect === 'sqlite' ? CRASHES : CRASHES.slice(-1))
        it(`DI-152 DI-177 FF-046: ${killed.join(' and ')} killed: the item ends once, and no container is left`, {
          timeout: 180_000,
        }, async () => {
          if (docker === null) return;
          root = makeRepository({ 'a.txt': 'zero\n' });
          const database = await makeDatabase();
          const env = { ...database.env, ...docker.env };
          const before = { ...process.env };
          Object.assign(process.env, env);
          const plane = await openAt(root);
          try {
            const seconds = uniqueSeconds();
            // What the engine alone cannot end goes on to its own end.
            const first = killed.includes('docker') || killed.includes('worker') ? seconds : '4';
            const command = `: ${seconds}; [ "$PALISADE_ATTEMPT" = 1 ] && sleep ${first}; echo ok > ok.txt`;
            await plane.call(submitPlan, {
              plan: { items: [{ id: 'a', command, retry: { backoff_ms: 10 } }] },
              run_id: 'crash',
              repository: root,
              sandbox: 'docker',
            });
            await startEngine(plane, env);
            await until('the agent to run', async () => running(seconds).length > 0);
            // An engine that lives stands still meanwhile: it would try again while there is no Docker.
            const still = killed.includes('engine') ? [] : enginesOf(root);
            for (const { pid } of still) process.kill(pid, 'SIGSTOP');
            for (const part of killed) await kill(part, docker);
            if (killed.includes('docker')) await docker.restart();
            for (const { pid } of still) process.kill(pid, 'SIGCONT');
            await startEngine(plane, env);
            const { items } = await ended(plane, 'crash');
            expect(items[0]).toMatchObject({ state: 'done', attempt: attempts, sandbox: 'docker' });
            expect(await outcomes(plane)).toEqual(
              attempts === 1 ? ['succeeded'] : [killed.includes('worker') ? 'lost' : 'failed', 'succeeded'],
            );
            expect((await verified(plane, 'crash')).report.intact).toBe(true);
            expect(docker.docker('ps', '--all', '--quiet')).toBe('');
            expect(running(seconds)).toEqual([]);
            await until('the attempts to be removed', async () => attemptsOf(root).length === 0);
          } finally {
            await plane.close();
            for (const name of Object.keys(env)) {
              if (before[name] === undefined) delete process.env[name];
              else process.env[name] = before[name];
            }
          }
        });
    });
  },
);

async function kill(part: Part, docker: PrivateEngine): Promise<void> {
  if (part === 'docker') return docker.kill();
  const [found] = part === 'worker' ? workersOf(root) : enginesOf(root);
  if (found === undefined) throw new Error(`there is no ${part}`);
  process.kill(found.pid, 'SIGKILL');
  // One that is still seen to live keeps another from being started.
  await until(`the ${part} to be gone`, async () => !processTable().some(({ pid }) => pid === found.pid));
}

async function outcomes(plane: ControlPlane): Promise<unknown[]> {
  const { entries } = await plane.call(exportEvidence, { run: 'crash' });
  return entries.filter(({ type }) => type === 'item.reconciled').map(({ data }) => data['outcome']);
}
