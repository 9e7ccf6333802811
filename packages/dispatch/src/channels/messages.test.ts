import {
  cancelRun,
  extendRun,
  getRun,
  limits,
  listEvents,
  listMessages,
  messageHash,
  sendMessage,
  submitPlan,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import {
  command,
  done,
  type EngineRig,
  engineStarter,
  failed,
  migrations,
  ScriptedExecutor,
} from '../../test/engine-rig.ts';
import { retireAndRemove } from '../housekeeping/retire-runs.ts';

const BOB = { actor: 'human:bob' };
const open = { channel: true };

const send = async (rig: EngineRig, body: string, item = 'a', key?: string) =>
  (
    await rig.ops.call(
      sendMessage,
      { run: 'r', item, body },
      { ...BOB, ...(key === undefined ? {} : { idempotencyKey: key }) },
    )
  ).message;
const sent = async (rig: EngineRig, item = 'a') =>
  (await rig.ops.call(listMessages, { run: 'r', item })).data;
const told = async (rig: EngineRig, type: string) =>
  (await rig.ops.call(listEvents, { run: 'r', limit: 1000 })).data.filter((event) => event.type === type);
/** Through which message each attempt was given them, as the ledger tells. */
const given = async (rig: EngineRig) =>
  (await told(rig, 'item.messages_delivered')).map(({ data }) => [data['attempt'], data['through']]);

async function until(fact: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await fact())) await new Promise((resolve) => setTimeout(resolve, 10));
}

eachDatabase('messages', (openDatabase) => {
  const start = engineStarter(openDatabase);
  const submit = (rig: EngineRig, ...items: object[]) =>
    rig.ops.call(submitPlan, { run_id: 'r', plan: { items } });

  it('DI-121: what is sent while an agent runs is handed on to it, recorded without its words, and shown with what became of it', async () => {
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(executor);
    await submit(rig, command('a', open));
    await until(() => executor.open.has('a#1'));
    const first = await send(rig, 'mind the tests\n');
    expect(first).toMatchObject({ run_id: 'r', item: 'a', seq: 1, bytes: 15, sent_by: 'human:bob' });
    expect(first).not.toHaveProperty('body');
    await until(async () => (await given(rig)).length === 1);
    await send(rig, 'and «these»');
    await until(async () => (await given(rig)).length === 2);
    executor.open.get('a#1')?.end(done());
    expect(await rig.ended('r')).toBe('completed');

    expect(executor.handedOn).toEqual([
      ['a#1', [1]],
      ['a#1', [2]],
    ]);
    expect(await sent(rig)).toMatchObject([
      { seq: 1, body: 'mind the tests\n', delivered: [{ attempt: 1 }] },
      { seq: 2, body: 'and «these»', bytes: 13, delivered: [{ attempt: 1 }] },
    ]);
    const [event] = await told(rig, 'item.message_sent');
    const { message, item, seq, actor, bytes, message_hash: hash } = event?.data ?? {};
    expect(event?.data).toEqual({ message, item, seq, actor, bytes, message_hash: hash });
    expect(hash).toBe(
      messageHash({
        message: first.id,
        run_id: 'r',
        item_id: 'a',
        seq: 1,
        actor: 'human:bob',
        sent_at: event?.at ?? 0,
        body: 'mind the tests\n',
      }),
    );
    expect(await given(rig)).toEqual([
      [1, 1],
      [1, 2],
    ]);
    expect(rig.faults).toEqual([]);
  });

  it('DI-121: each attempt is given all messages from the first, also what was sent while none ran', async () => {
    const executor = new ScriptedExecutor((intent) =>
      intent.itemId === 'gate' ? undefined : intent.attempt === 1 ? failed() : done(),
    );
    const rig = await start(executor);
    await submit(
      rig,
      command('gate'),
      command('a', { ...open, depends_on: ['gate'], retry: { backoff_ms: 1 } }),
    );
    await send(rig, 'one');
    await send(rig, 'two');
    await until(() => executor.open.has('gate#1'));
    executor.open.get('gate#1')?.end(done());
    expect(await rig.ended('r')).toBe('completed');
    expect(executor.handedOn).toEqual([
      ['a#1', [1, 2]],
      ['a#2', [1, 2]],
    ]);
    expect((await sent(rig)).map(({ delivered }) => delivered.map(({ attempt }) => attempt))).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it('DI-121: what did not come to an inbox is not called delivered, and nobody is believed about messages that are not there', async () => {
    const executor = new ScriptedExecutor((intent) => (intent.attempt === 1 ? undefined : done()));
    executor.comesTo = (last) => (last === 1 ? 0 : 99);
    const rig = await start(executor);
    await submit(rig, command('a', { ...open, retry: { backoff_ms: 1 } }));
    await until(() => executor.open.has('a#1'));
    await send(rig, 'one');
    await until(() => executor.handedOn.length === 1);
    expect(await sent(rig)).toMatchObject([{ delivered: [] }]);
    await send(rig, 'two');
    await until(async () => (await given(rig)).length === 1);
    executor.open.get('a#1')?.end(done());
    expect(await rig.ended('r')).toBe('completed');
    expect(await given(rig)).toEqual([[1, 2]]);
  });

  it('DI-121: many senders over several connections get an order without a gap, and the agent gets it', async () => {
    const database = await openDatabase({ migrations });
    const other = await openDatabase({ migrations });
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(executor, { database });
    const idle = await start(new ScriptedExecutor(), { database: other, isIdle: true });
    await submit(rig, command('a', open), command('b', open));
    await until(() => executor.open.has('a#1'));
    const bodies = Array.from({ length: 24 }, (_, i) => `message ${i}`);
    await Promise.all(bodies.map((body, i) => send(i % 2 === 0 ? rig : idle, body)));
    const messages = await sent(idle);
    expect(messages.map(({ seq }) => seq)).toEqual(bodies.map((_, i) => i + 1));
    expect(messages.map(({ body }) => body).toSorted()).toEqual(bodies.toSorted());
    expect(new Set(messages.map(({ id }) => id)).size).toBe(bodies.length);
    expect((await told(rig, 'item.message_sent')).map(({ data }) => data['seq'])).toEqual(
      bodies.map((_, i) => i + 1),
    );
    await until(async () => (await given(rig)).at(-1)?.[1] === bodies.length);
    expect(executor.handedOn.flatMap(([, seqs]) => seqs)).toEqual(bodies.map((_, i) => i + 1));
    // The order of one item is no other's.
    expect(await send(idle, 'to b', 'b')).toMatchObject({ seq: 1 });
    for (const id of ['a#1', 'b#1']) executor.open.get(id)?.end(done());
    expect(await rig.ended('r')).toBe('completed');
  });

  it('DI-121: the same call again sends nothing more, and another one under its key is refused', async () => {
    const rig = await start(new ScriptedExecutor(() => undefined));
    await submit(rig, command('a', open));
    const first = await send(rig, 'once', 'a', 'k');
    expect(await send(rig, 'once', 'a', 'k')).toEqual(first);
    await expect(send(rig, 'twice', 'a', 'k')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    expect(await sent(rig)).toHaveLength(1);
    await rig.ops.call(sendMessage, { run: 'r', item: 'a', body: 'rehearsed', dry_run: true });
    expect(await sent(rig)).toHaveLength(1);
  });

  it('DI-121: an owner that died between the message and the inbox hands nothing on, and the next one hands all on, once', async () => {
    const database = await openDatabase({ migrations });
    const dead = new ScriptedExecutor(() => undefined);
    dead.comesTo = () => 0;
    const first = await start(dead, { database, leaseMs: 60_000 });
    await submit(first, command('a', open));
    await until(() => dead.open.has('a#1'));
    await send(first, 'one');
    await until(() => dead.handedOn.length === 1);
    await first.engine.stop();
    await send(first, 'two');

    const living = new ScriptedExecutor();
    living.found = () => ({ how: 'reattached' });
    const next = await start(living, { database });
    await until(async () => (await given(next)).length === 1);
    expect(living.handedOn).toEqual([['a#1', [1, 2]]]);
    expect(await given(next)).toEqual([[1, 2]]);
    await next.engine.stop();

    // A third one hears of it again, and the ledger is told nothing twice.
    const third = new ScriptedExecutor();
    third.found = () => ({ how: 'reattached' });
    const last = await start(third, { database });
    await until(() => third.handedOn.length === 1);
    await until(() => third.open.has('a#1'));
    third.open.get('a#1')?.end(done());
    expect(await last.ended('r')).toBe('completed');
    expect(await given(last)).toEqual([[1, 2]]);
  });

  it('DI-121: what no agent would read is refused, and says what helps', async () => {
    const executor = new ScriptedExecutor((intent) => (intent.itemId === 'b' ? undefined : done()));
    const rig = await start(executor);
    await submit(rig, command('a', open), command('b'), command('c', { ...open, depends_on: ['b'] }));
    await until(async () => (await rig.ops.call(getRun, { run: 'r' })).items[0]?.state === 'done');
    await expect(send(rig, 'late')).rejects.toMatchObject({
      code: 'invalid_state',
      message: 'r/a has ended: done',
      next: 'palisade show r',
    });
    await expect(send(rig, 'who?', 'b')).rejects.toMatchObject({
      code: 'invalid_state',
      message: 'r/b takes no messages',
      next: 'give the item "channel": true and run the plan again',
    });
    await expect(send(rig, 'who?', 'z')).rejects.toMatchObject({
      code: 'not_found',
      next: 'palisade show r',
    });
    expect(await send(rig, 'early', 'c')).toMatchObject({ seq: 1 });
    await until(() => executor.open.has('b#1'));
    executor.open.get('b#1')?.end(failed({ retryable: false }));
    expect(await rig.ended('r')).toBe('failed');
    await expect(send(rig, 'too late', 'c')).rejects.toMatchObject({
      code: 'invalid_state',
      message: 'r/c has ended: skipped',
    });
    expect(await sent(rig, 'c')).toMatchObject([{ body: 'early', delivered: [] }]);
  });

  it('DI-121: messages are bounded in length and number, and hold text', async () => {
    const rig = await start(new ScriptedExecutor(() => undefined), { isIdle: true });
    await submit(rig, command('a', open));
    // Two bytes each.
    const long = 'é'.repeat(limits.messageBytes / 2);
    expect(await send(rig, long)).toMatchObject({ bytes: limits.messageBytes });
    await expect(send(rig, `${long}.`)).rejects.toMatchObject({
      code: 'too_large',
      message: `the message has ${limits.messageBytes + 1} bytes, ${limits.messageBytes} are allowed`,
    });
    for (const body of ['', ' \n', 'a\ud800'])
      await expect(send(rig, body)).rejects.toMatchObject({ code: 'invalid_input' });
    const odd = 'a\0b\u2028c "\\ 🦔';
    await send(rig, odd);
    expect((await sent(rig)).map(({ body }) => body)).toEqual([long, odd]);
    for (let i = 2; i < limits.itemMessages; i++) await send(rig, `${i}`);
    await expect(send(rig, 'one more')).rejects.toMatchObject({
      code: 'too_large',
      message: `r/a was sent ${limits.itemMessages} messages, no more are allowed`,
    });
  });

  it('DI-121: nothing is asked for in a run of which nobody wishes anything, and none where no item takes messages', async () => {
    const database = await openDatabase({ migrations });
    // Whoever would look fails.
    for (const table of ['item_messages', 'item_deliveries'])
      await database.write((tx) => tx.sql.run(`DROP TABLE ${table}`));
    const executor = new ScriptedExecutor((intent) => (intent.attempt === 1 ? failed() : done()));
    const rig = await start(executor, { database });
    await submit(rig, command('a', { ...open, retry: { backoff_ms: 1 } }), command('b'));
    expect(await rig.ended('r')).toBe('completed');
    executor.behaviour = () => undefined;
    await rig.ops.call(submitPlan, { run_id: 'q', plan: { items: [command('a'), command('b')] } });
    await until(() => executor.open.size === 2);
    await rig.ops.call(cancelRun, { run: 'q', item: 'a' });
    await until(async () => (await rig.ops.call(getRun, { run: 'q' })).items[0]?.state === 'canceled');
    executor.open.get('b#1')?.end(done());
    await rig.ended('q');
    expect(executor.handedOn).toEqual([]);
    expect(rig.faults).toEqual([]);
  });

  it('DI-121: messages go with the run that they belong to', async () => {
    const database = await openDatabase({ migrations });
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(executor, { database });
    await submit(rig, command('a', open));
    for (let i = 1; i <= 101; i++) await send(rig, `${i}`);
    await until(async () => (await given(rig)).at(-1)?.[1] === 101);
    executor.open.get('a#1')?.end(done());
    await rig.ended('r');
    await rig.stop();
    await database.write((tx) => tx.sql.run("UPDATE runs SET sealed_at = finished_at WHERE id = 'r'", []));
    expect(await retireAndRemove(database, Number.MAX_SAFE_INTEGER, AbortSignal.timeout(10_000))).toBe(1);
    for (const table of ['item_channels', 'item_messages', 'item_deliveries'])
      expect(await database.read((tx) => tx.sql.all(`SELECT * FROM ${table}`))).toEqual([]);
  });

  it('DI-121: an item that a run comes to have later takes messages too', async () => {
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(executor);
    await rig.ops.call(submitPlan, { run_id: 'r', plan: { open_ended: true, items: [command('a')] } });
    await rig.ops.call(extendRun, { run: 'r', items: [command('more', open), command('mute')], close: true });
    expect(await send(rig, 'hello', 'more')).toMatchObject({ seq: 1 });
    await expect(send(rig, 'hello', 'mute')).rejects.toMatchObject({ code: 'invalid_state' });
    await until(async () => (await given(rig)).length === 1);
    for (const id of ['a#1', 'more#1', 'mute#1']) {
      await until(() => executor.open.has(id));
      executor.open.get(id)?.end(done());
    }
    expect(await rig.ended('r')).toBe('completed');
  });

  it('DI-121: what a person decides has no agent, and its plan may not say otherwise', async () => {
    const rig = await start(new ScriptedExecutor());
    const gate = { id: 'gate', executor: 'approval', approval: { prompt: 'Yes?' }, channel: true };
    await expect(submit(rig, gate)).rejects.toMatchObject({
      code: 'invalid_plan',
      issues: [{ path: 'items[0].channel', message: 'an item that a person decides runs no program' }],
    });
  });
});
