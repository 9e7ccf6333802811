import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  answerRequest,
  decideRequest,
  type FaultPoint,
  getRun,
  isPalisadeError,
  listEvents,
  listRequests,
  REQUEST_POINTS,
  submitPlan,
} from '@palisade/contracts';
import type { ControlPlane } from '@palisade/server';
import { afterEach, expect, it } from 'vitest';
import {
  ended,
  makeRepository,
  openAt,
  palisade,
  removeInstallation,
  startEngine,
  until,
  verified,
} from '../support/installation.ts';
import { eachInstallationDatabase } from '../support/installation-database.ts';
import { enginesOf } from '../support/processes.ts';

const PLAN = {
  title: 'asks',
  items: [
    {
      id: 'a',
      run: {
        harness: 'scripted',
        steps: [
          { do: 'append', path: 'a.txt', text: 'one\n' },
          { do: 'ask', question: 'Go on?' },
          { do: 'run', command: 'cat inputs/answer.txt >> a.txt' },
        ],
      },
    },
    {
      id: 'gate',
      executor: 'approval',
      needs: { work: { from: 'a', select: { kind: 'patch' } } },
      approval: { prompt: 'Push it?' },
    },
    { id: 'push', depends_on: ['gate'], command: 'echo pushed > p.txt' },
  ],
};

/** Places of an engine or a worker that a run passes on its way to a question, or from an answer. */
const ON_THE_WAY: readonly FaultPoint[] = [
  'worker.after-agent',
  'worker.after-capture',
  'worker.after-result',
  'record.after-ingest',
  'record.after-commit',
];

let root = '';
afterEach(() => removeInstallation(root));

eachInstallationDatabase('what people are asked, through crashes', (makeDatabase) => {
  const BOB = { actor: 'human:bob' };
  const digits = (hash: string) => hash.slice('sha256:'.length, 'sha256:'.length + 12);
  const request = (plane: ControlPlane, item: string) =>
    until(`${item} to ask`, async () =>
      (await plane.call(listRequests, {})).data.find((each) => each.item === item && each.state === 'open'),
    );

  async function opened() {
    root = makeRepository({ 'a.txt': 'zero\n' });
    const database = await makeDatabase();
    const plane = await database.within(() => openAt(root));
    await plane.call(submitPlan, { plan: PLAN, run_id: 'r', repository: root });
    const carryOn = () => database.within(() => startEngine(plane));
    return {
      database,
      plane,
      carryOn,
      answer: async () => {
        await plane.call(answerRequest, { run: 'r', item: 'a', answer: 'yes' }, BOB);
        await carryOn();
      },
      approve: async () => {
        const hash = digits((await request(plane, 'gate')).hash);
        await plane.call(decideRequest, { run: 'r', item: 'gate', decision: 'approve', hash }, BOB);
        await carryOn();
      },
    };
  }

  /** The run as a whole: asked once, answered once, done once, and true evidence. */
  async function isWhole(plane: ControlPlane): Promise<void> {
    const { run, items } = await ended(plane, 'r');
    expect(items.map(({ id, state, reason }) => [id, state, reason])).toEqual([
      ['a', 'done', undefined],
      ['gate', 'done', undefined],
      ['push', 'done', undefined],
    ]);
    expect(run.state).toBe('completed');
    const { data } = await plane.call(listEvents, { run: 'r' });
    const count = (type: string) => data.filter((event) => event.type === type).length;
    expect([count('item.answered'), count('item.approval_requested'), count('item.decided')]).toEqual([
      1, 1, 1,
    ]);
    const { report } = await verified(plane, 'r');
    expect(report.checks.filter(({ ok }) => ok === false)).toEqual([]);
  }

  for (const point of REQUEST_POINTS)
    it(`FF-172 FF-176: whoever answers dies at ${point}; repeated, it is answered once`, {
      timeout: 120_000,
    }, async () => {
      const { database, plane, carryOn, answer, approve } = await opened();
      const env = { ...database.env, PALISADE_ACTOR: BOB.actor };
      const sign = join(root, '.git', 'palisade-fault');
      const fault = { PALISADE_FAULT: point, PALISADE_FAULT_SIGN: sign };
      try {
        await carryOn();
        const said = async (...args: string[]) => {
          const command = [...args, '--idempotency-key', 'one'];
          const died = await palisade(root, command, { ...env, ...fault });
          expect(died.signal, died.stderr).toBe('SIGKILL');
          const result = await palisade(root, command, env);
          expect(result.code, result.stderr).toBe(0);
        };
        await request(plane, 'a');
        if (point.startsWith('answer.')) {
          await said('answer', 'r/a', 'yes');
          await approve();
        } else {
          await answer();
          await said('approve', 'r/gate', '--hash', digits((await request(plane, 'gate')).hash));
        }
        expect(readFileSync(sign, 'utf8').trim()).toBe(point);
        await carryOn();
        await isWhole(plane);
      } finally {
        await plane.close();
      }
    });

  for (const point of ON_THE_WAY)
    it(`DI-177 FF-172: killed at ${point}, the question is asked once and what it had changed is kept`, {
      timeout: 120_000,
    }, async () => {
      const { database, plane, carryOn, answer, approve } = await opened();
      const sign = join(root, '.git', 'palisade-fault');
      try {
        await database.within(() =>
          startEngine(plane, { PALISADE_FAULT: point, PALISADE_FAULT_SIGN: sign }).catch((error: unknown) => {
            if (!isPalisadeError(error, 'start_failed')) throw error;
          }),
        );
        if (!point.startsWith('worker.'))
          await until('the engine to die', async () => !(await plane.engineLives()));
        await carryOn();
        await request(plane, 'a');
        expect(readFileSync(sign, 'utf8')).toContain(point);
        // The faulty engine and its workers, where they still are, are done with their one fault.
        await answer();
        await approve();
        await isWhole(plane);
        expect((await plane.call(listRequests, { run: 'r', all: true })).data).toHaveLength(2);
      } finally {
        await plane.close();
      }
    });

  it('FF-172: the engine is killed while somebody is asked, and the wait goes on', {
    timeout: 120_000,
  }, async () => {
    const { plane, carryOn, answer, approve } = await opened();
    try {
      await carryOn();
      await request(plane, 'a');
      for (const { pid } of enginesOf(root)) process.kill(pid, 'SIGKILL');
      await until('the engine to be gone', async () => !(await plane.engineLives()));
      await answer();
      await request(plane, 'gate');
      expect((await plane.call(getRun, { run: 'r' })).items[1]?.state).toBe('needs_input');
      await approve();
      await isWhole(plane);
    } finally {
      await plane.close();
    }
  });
});
