import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  canonicalJson,
  CHANNEL_POINTS,
  getTrustRoot,
  listEvents,
  listMessages,
  sendMessage,
  submitPlan,
} from '@palisade/contracts';
import type { ControlPlane } from '@palisade/server';
import { afterEach, expect, it } from 'vitest';
import { filesBelow } from '../support/canary-forms.ts';
import {
  attemptsOf,
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

/** Waits for that many messages, and says what it was given by failing without them. */
const waitFor = (lines: number): string =>
  `for i in $(seq 600); do [ "$(wc -l < "$PALISADE_INBOX_FILE")" -ge ${lines} ] && break; sleep 0.1; done
   cp "$PALISADE_INBOX_FILE" outputs/inbox; [ "$(wc -l < outputs/inbox)" = ${lines} ]`;
const independent = join(import.meta.dirname, '../../packages/evidence/test/verify_bundle.py');

let root = '';
afterEach(() => removeInstallation(root));

eachInstallationDatabase('messages, through crashes', (makeDatabase) => {
  async function opened(item: object) {
    root = makeRepository({ 'a.txt': 'zero\n' });
    const database = await makeDatabase();
    const plane = await database.within(() => openAt(root));
    const plan = { items: [{ id: 'a', channel: true, ...item }] };
    await plane.call(submitPlan, { plan, run_id: 'r', repository: root });
    const carryOn = () => database.within(() => startEngine(plane));
    return { database, plane, carryOn };
  }
  /** Its agent is there: before that an engine's death would lose the attempt. */
  const isRunning = () =>
    until('a to run', async () =>
      attemptsOf(root).some((path) => {
        const log = join(path, 'output.log');
        return existsSync(log) && readFileSync(log, 'utf8').includes('"phase":"agent"');
      }),
    );
  const send = (plane: ControlPlane, body: string) => plane.call(sendMessage, { run: 'r', item: 'a', body });
  const eventsOf = async (plane: ControlPlane) =>
    (await plane.call(listEvents, { run: 'r', limit: 1000 })).data;

  /** Done by its first attempt, told once, and true evidence, also for a verifier of somebody else. */
  async function isWhole(plane: ControlPlane, attempts = 1): Promise<void> {
    const { run, items } = await ended(plane, 'r');
    expect([run.state, items[0]?.state, items[0]?.attempt, items[0]?.reason]).toEqual([
      'completed',
      'done',
      attempts,
      undefined,
    ]);
    const { bundle, report } = await verified(plane, 'r');
    expect(report.checks.filter(({ ok }) => ok === false)).toEqual([]);
    const paths = ['bundle.json', 'root.json'].map((name) => join(root, '.git', name));
    const { trust_root } = await plane.call(getTrustRoot, {});
    writeFileSync(paths[0] ?? '', canonicalJson(bundle));
    writeFileSync(paths[1] ?? '', JSON.stringify(trust_root));
    const { error, status, stdout } = spawnSync('python3', [independent, ...paths], { encoding: 'utf8' });
    if (error === undefined) expect([status, stdout]).toEqual([0, 'intact\n']);
  }

  /** Through which message each attempt was given them, as the ledger tells. */
  const given = async (plane: ControlPlane) =>
    (await eventsOf(plane))
      .filter(({ type }) => type === 'item.messages_delivered')
      .map(({ data }) => [data['attempt'], data['through']]);

  for (const point of CHANNEL_POINTS.filter((each) => each.startsWith('deliver.')))
    it(`DI-121 DI-177: the engine dies at ${point}, and the message comes once another is there`, {
      timeout: 120_000,
    }, async () => {
      const { database, plane, carryOn } = await opened({ command: waitFor(1) });
      const sign = join(root, '.git', 'palisade-fault');
      try {
        await database.within(() => startEngine(plane, { PALISADE_FAULT: point, PALISADE_FAULT_SIGN: sign }));
        await isRunning();
        await send(plane, 'go');
        await until('the engine to die', async () => !(await plane.engineLives()));
        expect(readFileSync(sign, 'utf8').trim()).toBe(point);
        await carryOn();
        await isWhole(plane);
        expect(await given(plane)).toEqual([[1, 1]]);
      } finally {
        await plane.close();
      }
    });

  it('DI-121 FF-060: what is sent while no engine lives comes to the attempt that outlived it', {
    timeout: 120_000,
  }, async () => {
    const { plane, carryOn } = await opened({ command: waitFor(2) });
    try {
      await carryOn();
      await isRunning();
      await send(plane, 'one');
      await until('the first message to come', async () => (await given(plane)).length === 1);
      for (const { pid } of enginesOf(root)) process.kill(pid, 'SIGKILL');
      await until('the engine to be gone', async () => !(await plane.engineLives()));
      await send(plane, 'two');
      await carryOn();
      await isWhole(plane);
      expect(await given(plane)).toEqual([
        [1, 1],
        [1, 2],
      ]);
    } finally {
      await plane.close();
    }
  });

  it('DI-121: whoever sends dies right after, and repeating it sends nothing more', {
    timeout: 120_000,
  }, async () => {
    const { database, plane, carryOn } = await opened({ command: waitFor(1) });
    try {
      const command = ['send', 'r/a', 'go', '--idempotency-key', 'one', '--json'];
      const died = await palisade(root, command, { ...database.env, PALISADE_FAULT: 'send.after-commit' });
      expect(died.signal, died.stderr).toBe('SIGKILL');
      const again = await palisade(root, command, database.env);
      expect(again.code, again.stderr).toBe(0);
      expect(JSON.parse(again.stdout)).toMatchObject({ message: { seq: 1, bytes: 2 } });
      await carryOn();
      await isWhole(plane);
      expect((await plane.call(listMessages, { run: 'r', item: 'a' })).data).toHaveLength(1);
    } finally {
      await plane.close();
    }
  });

  it('DI-121: processes that send at once agree on an order, every attempt is given all of it, and no record has the words', {
    timeout: 120_000,
  }, async () => {
    const { database, plane, carryOn } = await opened({
      command: `${waitFor(6)} && [ "$PALISADE_ATTEMPT" = 2 ]`,
      retry: { backoff_ms: 1 },
    });
    try {
      await carryOn();
      await isRunning();
      const words = Array.from({ length: 6 }, (_, i) => `canary-of-message-${i}-${'7f3a9b2c'.repeat(2)}`);
      const sent = await Promise.all(
        words.map((body) => palisade(root, ['send', 'r/a', body], database.env)),
      );
      expect(sent.map(({ code, stderr }) => [code, stderr]).filter(([code]) => code !== 0)).toEqual([]);
      const refused = await palisade(root, ['send', 'r/a', `ghp_${'A1b2C3d4'.repeat(5)}`], database.env);
      expect([refused.code, refused.stderr.includes('A1b2C3d4A1b2C3d4')]).toEqual([4, false]);
      await isWhole(plane, 2);

      const { data } = await plane.call(listMessages, { run: 'r', item: 'a' });
      expect(data.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
      expect(data.map(({ body }) => body).toSorted()).toEqual(words);
      for (const { delivered } of data) expect(delivered.map(({ attempt }) => attempt)).toEqual([1, 2]);
      const inboxes = (await given(plane)).filter(([attempt]) => attempt === 2);
      expect(inboxes).toEqual([[2, 6]]);

      const records = [
        JSON.stringify(await eventsOf(plane)),
        canonicalJson((await verified(plane, 'r')).bundle),
      ];
      // What the engine wrote for people; the product that the agent made of its inbox is the agent's.
      for (const path of filesBelow(join(root, '.palisade')))
        if (path.endsWith('.log')) records.push(readFileSync(path, 'utf8'));
      for (const word of words) for (const record of records) expect(record.includes(word), word).toBe(false);
    } finally {
      await plane.close();
    }
  });
});
