import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  decideRequest,
  getRun,
  type ItemView,
  listRequests,
  type RequestView,
  type RunView,
  submitPlan,
} from '@palisade/contracts';
import type { ControlPlane } from '@palisade/server';
import { afterEach, expect, it } from 'vitest';
import {
  type CliResult,
  ended,
  makeRepository,
  openAt,
  palisade,
  removeInstallation,
  startEngine,
  until,
  verified,
} from '../support/installation.ts';
import { eachInstallationDatabase, type InstallationDatabase } from '../support/installation-database.ts';
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
          {
            do: 'ask',
            question: 'Which way?\nThere are two.',
            options: ['left', 'right'],
            partial_state: { seen: [1] },
          },
          { do: 'run', command: 'cat inputs/answer.txt >> a.txt; cp inputs/answer.json outputs/' },
        ],
      },
    },
    {
      id: 'gate',
      executor: 'approval',
      needs: { work: { from: 'a', select: { kind: 'patch' } } },
      approval: { prompt: 'Push it?', four_eyes: true },
    },
    { id: 'push', depends_on: ['gate'], command: 'true' },
  ],
};

let root = '';
afterEach(() => removeInstallation(root));

eachInstallationDatabase('what people are asked', (makeDatabase) => {
  let database: InstallationDatabase;
  const pal = (who: string, ...args: string[]): Promise<CliResult> =>
    palisade(root, args, { ...database.env, PALISADE_ACTOR: who });
  const json = async <T>(...args: string[]): Promise<T> =>
    JSON.parse((await pal('human:ann', ...args, '--json')).stdout) as T;

  it('DI-119 DI-120 DI-192: is seen, answered and approved from the command line, and the evidence says how', {
    timeout: 120_000,
  }, async () => {
    root = makeRepository({ 'a.txt': 'zero\n' });
    database = await makeDatabase();
    writeFileSync(join(root, 'plan.json'), JSON.stringify(PLAN));
    expect((await pal('human:ann', 'init')).code).toBe(0);
    const asked = await pal('human:ann', 'run', 'plan.json', '--run-id', 'r');
    expect([asked.code, asked.signal], asked.stderr).toEqual([6, null]);
    expect(asked.stderr).toContain('Which way?');
    expect(asked.stderr).toContain('1  left');
    expect(asked.stderr).toContain('pal answer r/a');
    const inbox = await json<{ data: RequestView[] }>('inbox');
    expect(inbox.data).toMatchObject([
      { kind: 'question', item: 'a', text: 'Which way?\nThere are two.', options: ['left', 'right'] },
    ]);
    const status = await pal('human:ann', 'status');
    expect(status.stdout).toMatch(/^waits for you 1\n.*r\/a/);
    expect((await pal('human:ann', 'explain', 'r/a')).stdout).toContain('Which way?');

    const stale = await pal('human:ann', 'answer', 'r/a', 'left', '--hash', '0'.repeat(12));
    expect([stale.code, stale.stderr]).toEqual([5, expect.stringContaining('stale_revision')]);
    expect((await pal('human:bob', 'answer', 'r/a', '--option', '2')).code).toBe(0);
    const twice = await pal('human:cat', 'answer', 'r/a', 'left');
    expect(twice.code).toBe(5);
    expect(twice.stderr).toMatch(/already answered by human:bob|is to be approved|asks/);

    const gated = await pal('human:ann', 'watch', 'r');
    expect(gated.code, gated.stderr).toBe(6);
    const [gate] = (await json<{ data: RequestView[] }>('inbox', 'r')).data;
    const { items } = await json<{ run: RunView; items: ItemView[] }>('show', 'r');
    expect(gate?.inputs).toMatchObject([{ key: 'work', ref: items[0]?.product?.result_ref }]);
    const hash = (gate?.hash ?? '').slice('sha256:'.length, 'sha256:'.length + 12);
    const unseen = await pal('human:bob', 'approve', 'r/gate');
    expect([unseen.code, unseen.stderr]).toEqual([2, expect.stringContaining(`--hash ${hash}`)]);
    const alone = await pal('human:ann', 'approve', 'r/gate', '--hash', hash);
    expect([alone.code, alone.stderr]).toEqual([4, expect.stringContaining('second person')]);
    const done = await pal('human:bob', 'approve', 'r/gate', '--hash', hash, '--reason', 'fine');
    expect(done.code, done.stderr).toBe(0);
    const watched = await pal('human:ann', 'watch', 'r');
    expect(watched.code, watched.stderr + watched.stdout).toBe(0);
    expect((await pal('human:ann', 'inbox')).stdout).toBe('nothing waits for you\n');

    const { stdout: patch } = await pal('human:ann', 'diff', 'r');
    expect(patch.match(/^\+one$/gm)).toHaveLength(1);
    expect(patch).toContain('+right');
    const answer = await pal('human:ann', 'artifact', 'get', 'r/a:answer.json');
    expect(JSON.parse(answer.stdout)).toMatchObject({
      answer: 'right',
      option: 2,
      answered_by: 'human:bob',
      partial_state: { seen: [1] },
    });
    const record = await pal('human:ann', 'artifact', 'get', 'r/gate:approval');
    expect(JSON.parse(record.stdout)).toMatchObject({
      request_hash: gate?.hash,
      decision: 'approve',
      approver: 'human:bob',
      reason: 'fine',
    });
    expect((await pal('human:ann', 'verify', 'r')).code).toBe(0);
    const plane = await database.within(() => openAt(root));
    try {
      const { report } = await verified(plane, 'r');
      expect(report.checks.filter(({ ok }) => ok === false)).toEqual([]);
    } finally {
      await plane.close();
    }
  });

  it('FF-172: an engine leaves when only people are waited for, and whoever decides starts another', {
    timeout: 120_000,
  }, async () => {
    root = makeRepository({ 'a.txt': 'zero\n' });
    database = await makeDatabase();
    const plane: ControlPlane = await database.within(() => openAt(root));
    try {
      const gate = { id: 'gate', executor: 'approval', approval: { prompt: 'Go?' } };
      const plan = { items: [gate, { id: 'b', command: 'true', depends_on: ['gate'] }] };
      await plane.call(submitPlan, { plan, run_id: 'r', repository: root });
      await database.within(() => startEngine(plane));
      await until('somebody to be asked', async () => (await plane.call(listRequests, {})).data.length === 1);
      await until('the engine to leave', async () => enginesOf(root).length === 0);
      expect((await plane.call(getRun, { run: 'r' })).run).toMatchObject({
        state: 'waiting',
        open_requests: 1,
      });
      const watched = await pal('human:ann', 'watch', 'r');
      expect(watched.code).toBe(6);
      expect(enginesOf(root)).toEqual([]);
      const [request] = (await plane.call(listRequests, {})).data;
      const hash = (request?.hash ?? '').slice('sha256:'.length);
      await plane.call(
        decideRequest,
        { run: 'r', item: 'gate', decision: 'approve', hash },
        { actor: 'human:ann' },
      );
      expect((await pal('human:ann', 'watch', 'r')).code).toBe(0);
      await ended(plane, 'r');
    } finally {
      await plane.close();
    }
  });
});
