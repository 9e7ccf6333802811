import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type Caller,
  getWebhook,
  hostCaller,
  listDeliveries,
  listWebhooks,
  type Notification,
  removeWebhook,
  replayDeliveries,
  setWebhook,
  testWebhook,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { Receiver, type Received } from '../../test/receiver.ts';
import { secretOf, webhookRig } from '../../test/webhook-rig.ts';

const KEY = secretOf(1);
const ALL = ['run.completed', 'run.failed', 'run.canceled', 'item.failed'] as const;

/** The other implementation's judgement; raises when a signature or its time is wrong. */
const verifyOutside = ({ headers, body }: Received, secret = KEY): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

/** The signatures of DI-083 that a message should have. */
const ownSignature = ({ headers, body }: Received, ...secrets: string[]): string =>
  secrets
    .map((secret) => {
      const [run, at] = ['x-palisade-run-id', 'x-palisade-timestamp'].map((name) => String(headers[name]));
      const subject = `${run}.${at}.`;
      const key = Buffer.from(secret.slice(6), 'base64');
      return `sha256=${createHmac('sha256', key).update(subject).update(body).digest('hex')}`;
    })
    .join(', ');

eachDatabase('webhooks', (open) => {
  type Rig = Awaited<ReturnType<typeof webhookRig>>;
  const set = (rig: Rig, name: string, receiver: Receiver, more: object = {}) =>
    rig.ops.call(setWebhook, { name, url: receiver.url(), secret: KEY, allow_private: true, ...more });
  const stateOf = async (rig: Rig) =>
    (await rig.ops.call(listDeliveries, {})).data.map(({ state, reason, status }) => [state, reason, status]);

  it('DI-083 DI-084 FF-101: a receiver that fails, hangs, cuts and fails again gets every attempt signed anew, under one id', async () => {
    const rig = await webhookRig(open, { attemptMs: 300 });
    const receiver = await Receiver.open(500, 'hang', 'cut', 503, 204);
    await set(rig, 'ops', receiver);
    await rig.run('r', [{ when: [...ALL], endpoint: 'ops' }], { reason: 'no luck', counts: { failed: 1 } });
    const seen: unknown[] = [];
    for (let n = 0; n < 5; n++) {
      await rig.round();
      seen.push((await stateOf(rig))[0]);
    }
    expect(seen).toEqual([
      ['pending', 'http-status', 500],
      ['pending', 'timeout', undefined],
      ['pending', 'network', undefined],
      ['pending', 'http-status', 503],
      ['delivered', undefined, 204],
    ]);
    expect(receiver.received).toHaveLength(5);
    expect(new Set(receiver.ids).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(1);
    for (const message of receiver.received) {
      expect(verifyOutside(message)).toMatchObject({
        type: 'run.failed',
        data: { run_id: 'r', seq: 0, status: 'failed', counts: { failed: 1 }, reason: 'no luck' },
      });
      expect(message.headers['x-palisade-signature']).toBe(ownSignature(message, KEY));
      expect(message.headers['x-palisade-run-id']).toBe('r');
    }
    await rig.round();
    expect(receiver.received).toHaveLength(5);
    expect(rig.faults).toEqual([]);
  });

  it('DI-084: kinds reach who asked for them, once, and a unit of work that fails tells nobody', async () => {
    const rig = await webhookRig(open);
    const [one, two] = [await Receiver.open(200), await Receiver.open(200)];
    await set(rig, 'one', one);
    await set(rig, 'two', two, { secret: secretOf(2) });
    const wanted = [
      { when: ['run.completed', 'item.failed'], endpoint: 'one' },
      { when: ['item.failed'], endpoint: 'one' },
      { when: ['run.completed'], endpoint: 'two' },
    ] satisfies Notification[];
    const attempt = { attempt: 1, run: 'run_a', outcome: 'failed' as const };
    await expect(
      rig.database.write(async (tx) => {
        await tx.journal.append('run:r', 'item.failed', { item: 'x', code: 'c', reason: 'r' });
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    await rig.run('r', []);
    await rig.run('s', wanted, { status: 'completed' });
    const { subscribe } = await import('./outbox.ts');
    await rig.database.write(async (tx) => {
      await subscribe(tx, { id: 't', project: 'default' }, wanted);
      await tx.journal.append('run:t', 'item.reconciled', { item: 'a', status: 'retrying', ...attempt });
      await tx.journal.append('run:t', 'item.reconciled', { item: 'a', status: 'failed', ...attempt });
      await tx.journal.append('run:t', 'run.completed', { run: 't', status: 'timed_out', counts: {} });
    });
    for (let n = 0; n < 3; n++) await rig.round();
    const told = ({ received }: Receiver) =>
      received
        .map(({ body }) => JSON.parse(body.toString()) as { type: string; data: { run_id: string } })
        .map(({ type, data }) => `${data.run_id} ${type}`)
        .sort();
    expect(told(one)).toEqual(['s run.completed', 't item.failed']);
    expect(told(two)).toEqual(['s run.completed']);
    for (const message of one.received) expect(() => verifyOutside(message, KEY)).not.toThrow();
    for (const message of two.received) expect(() => verifyOutside(message, KEY)).toThrow();
  });

  it('DI-083: while a key is replaced both sign, afterwards the new one alone; a bearer token is sent when asked for', async () => {
    const rig = await webhookRig(open);
    const receiver = await Receiver.open(200);
    await rig.secrets.put('token', 'open sesame');
    await set(rig, 'ops', receiver, { bearer: 'secret:token' });
    const next = secretOf(9);
    const { webhook } = await rig.ops.call(setWebhook, { name: 'ops', secret: next, overlap_ms: 60_000 });
    expect(webhook).toMatchObject({ key_version: 2, bearer: true });
    await rig.run('r', [{ when: ['run.failed'], endpoint: 'ops' }]);
    await rig.round();
    const [both] = receiver.received as [Received];
    expect(both.headers.authorization).toBe('Bearer open sesame');
    for (const secret of [KEY, next]) expect(() => verifyOutside(both, secret)).not.toThrow();
    expect(both.headers['x-palisade-signature']).toBe(ownSignature(both, next, KEY));
    rig.clock.skew = 60_000;
    await rig.ops.call(setWebhook, { name: 'ops', bearer: null });
    await rig.run('s', [{ when: ['run.failed'], endpoint: 'ops' }]);
    await rig.round();
    const alone = receiver.received[1] as Received;
    expect(alone.headers.authorization).toBeUndefined();
    expect(() => verifyOutside(alone, next)).not.toThrow();
    expect(() => verifyOutside(alone, KEY)).toThrow();
  });

  it('DI-083: 410 disables the endpoint, what waited is undelivered, and a replay after it is set again keeps the id', async () => {
    const rig = await webhookRig(open);
    const receiver = await Receiver.open(410, 200);
    await set(rig, 'ops', receiver);
    await rig.run('r', [{ when: ['run.failed'], endpoint: 'ops' }]);
    await rig.round();
    expect((await rig.ops.call(listWebhooks, {})).data).toMatchObject([
      { state: 'disabled', reason: 'it answered that it is gone (410)', undelivered: 1 },
    ]);
    await rig.run('s', [{ when: ['run.failed'], endpoint: 'ops' }]);
    await rig.round();
    expect(await stateOf(rig)).toEqual([
      ['undelivered', 'refused', undefined],
      ['undelivered', 'http-status', 410],
    ]);
    expect(receiver.received).toHaveLength(1);
    await rig.ops.call(setWebhook, { name: 'ops' });
    const { ids } = await rig.ops.call(replayDeliveries, { endpoint: 'ops' });
    expect(ids).toHaveLength(2);
    await rig.round();
    expect(receiver.ids.slice(1).sort()).toEqual([...ids].sort());
    expect(ids).toContain(receiver.ids[0]);
    expect(await stateOf(rig)).toEqual([
      ['delivered', undefined, 200],
      ['delivered', undefined, 200],
    ]);
    await expect(rig.ops.call(replayDeliveries, { ids: ['msg_none'] })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('DI-083: a message that nobody takes is given up after its attempts, with a reason of the closed list', async () => {
    const rig = await webhookRig(open);
    const receiver = await Receiver.open(500);
    await set(rig, 'ops', receiver);
    await rig.run('r', [{ when: ['run.failed'], endpoint: 'ops' }]);
    for (let n = 0; n < 12; n++) await rig.round();
    expect(receiver.received).toHaveLength(8);
    expect((await rig.ops.call(listDeliveries, { state: ['undelivered'] })).data).toMatchObject([
      { endpoint: 'ops', kind: 'run.failed', run_id: 'r', attempts: 8, reason: 'http-status', status: 500 },
    ]);
    expect(await rig.first.hasPending()).toBe(false);
  });

  it('DI-083: what was delivered is forgotten after a month with its job, also while another message waits', async () => {
    const rig = await webhookRig(open);
    const [well, ill] = [await Receiver.open(200), await Receiver.open(503)];
    await set(rig, 'well', well);
    await set(rig, 'ill', ill, { secret: secretOf(2) });
    await rig.run('r', [{ when: ['run.failed'], endpoint: 'well' }]);
    await rig.round();
    expect(well.received).toHaveLength(1);
    rig.clock.skew += 31 * 86_400_000;
    await rig.run('s', [{ when: ['run.failed'], endpoint: 'ill' }]);
    await rig.round();
    const kept = await rig.database.read(async (tx) => [
      await tx.sql.all('SELECT endpoint, state FROM webhook_deliveries'),
      await tx.sql.all('SELECT kind FROM kernel_jobs'),
    ]);
    expect(kept).toEqual([[{ endpoint: 'ill', state: 'pending' }], [{ kind: 'webhook:ill' }]]);
    expect(rig.faults).toEqual([]);
  });

  it('DI-083: a receiver may ask to be left alone, for an hour at most', async () => {
    const rig = await webhookRig(open);
    const patient = await Receiver.open((response) =>
      response.writeHead(429, { 'retry-after': '120' }).end(),
    );
    const rude = await Receiver.open((response) =>
      response.writeHead(503, { 'retry-after': '99999999' }).end(),
    );
    await set(rig, 'patient', patient);
    await set(rig, 'rude', rude);
    await rig.run('r', [
      { when: ['run.failed'], endpoint: 'patient' },
      { when: ['run.failed'], endpoint: 'rude' },
    ]);
    await rig.round();
    rig.clock.skew = 119_000;
    await rig.round();
    expect([patient.received.length, rude.received.length]).toEqual([1, 1]);
    rig.clock.skew = 130_000;
    await rig.round();
    expect([patient.received.length, rude.received.length]).toEqual([2, 1]);
    rig.clock.skew = 3_620_000;
    await rig.round();
    expect(rude.received).toHaveLength(2);
  });

  it('DI-084 EX-215: nothing leads a message to a private address the operator did not allow: no address, no name, no redirect', async () => {
    const receiver = await Receiver.open(200);
    const names = new Map([['hooks.example', ['203.0.114.9']]]);
    const rig = await webhookRig(open, { resolve: async (host) => names.get(host) ?? [] });
    const refused = { code: 'policy_denied' };
    for (const url of [receiver.url(), 'https://127.0.0.1/', 'https://[::1]/', 'https://169.254.169.254/'])
      await expect(rig.ops.call(setWebhook, { name: 'x', url, secret: KEY })).rejects.toMatchObject(refused);
    await expect(
      rig.ops.call(setWebhook, {
        name: 'x',
        url: 'https://169.254.169.254/',
        secret: KEY,
        allow_private: true,
      }),
    ).rejects.toMatchObject(refused);
    await rig.ops.call(setWebhook, { name: 'named', url: 'https://hooks.example/', secret: KEY });
    // The name leads elsewhere by the time of the message.
    names.set('hooks.example', ['203.0.114.9', '127.0.0.1']);
    await rig.run('r', [{ when: ['run.failed'], endpoint: 'named' }]);
    await rig.round();
    expect(await stateOf(rig)).toEqual([['undelivered', 'refused', undefined]]);
    const redirecting = await Receiver.open((response) =>
      response.writeHead(307, { location: receiver.url('/inside') }).end(),
    );
    await set(rig, 'redirecting', redirecting);
    await rig.run('s', [{ when: ['run.failed'], endpoint: 'redirecting' }]);
    await rig.round();
    expect((await stateOf(rig))[0]).toEqual(['pending', 'http-status', 307]);
    expect(receiver.received).toEqual([]);
  });

  it('DI-084 EX-215: whoever leads an endpoint elsewhere takes along neither its leave for private addresses nor its token', async () => {
    const rig = await webhookRig(open, { resolve: async () => ['203.0.114.9'] });
    const [inside, other] = [await Receiver.open(200), await Receiver.open(200)];
    await rig.secrets.put('token', 'open sesame');
    await set(rig, 'ops', inside, { bearer: 'secret:token' });
    const caller = { ...hostCaller('service:x'), kind: 'service' as const, scopes: new Set(['provision']) };
    const asService = {
      caller: { ...caller, principal: 'p', credential: 'c' } as Caller,
      actor: 'service:x',
    };
    const lead = (more: object) => rig.ops.call(setWebhook, { name: 'ops', ...more }, asService);
    await expect(lead({ url: other.url() })).rejects.toMatchObject({ code: 'policy_denied' });
    await expect(lead({ url: other.url(), allow_private: true })).rejects.toMatchObject({
      code: 'operation_not_permitted',
    });
    // Within the origin nothing is given to anybody else.
    const within = await lead({ url: inside.url('/elsewhere') });
    expect(within).not.toHaveProperty('dropped');
    expect(within.webhook).toMatchObject({ allow_private: true, bearer: true });
    expect(await lead({ url: 'https://hooks.example/', dry_run: true })).toMatchObject({
      dropped: ['allow_private', 'bearer'],
    });
    expect((await rig.ops.call(getWebhook, { name: 'ops' })).webhook).toMatchObject({ bearer: true });
    expect(await lead({ url: 'https://hooks.example/' })).toMatchObject({
      webhook: { origin: 'https://hooks.example', allow_private: false, bearer: false },
      dropped: ['allow_private', 'bearer'],
    });
    const anew = await set(rig, 'ops', other, { bearer: 'secret:token' });
    expect(anew).not.toHaveProperty('dropped');
    await rig.ops.call(testWebhook, { name: 'ops' });
    expect(other.received[0]?.headers['authorization']).toBe('Bearer open sesame');
    expect(inside.received).toEqual([]);
  });

  it('DI-084: an endpoint has its key, however setting and removing it meet', async () => {
    const rig = await webhookRig(open);
    const receiver = await Receiver.open(200);
    for (let n = 0; n < 25; n++) {
      await set(rig, 'ops', receiver, { secret: secretOf(n) });
      await Promise.allSettled([
        rig.ops.call(removeWebhook, { name: 'ops' }),
        set(rig, 'ops', receiver, { secret: secretOf(100 + n) }),
        set(rig, 'ops', receiver, { secret: secretOf(100 + n) }),
      ]);
      const { data } = await rig.ops.call(listWebhooks, {});
      if (data.length > 0)
        expect(await rig.ops.call(testWebhook, { name: 'ops' })).toMatchObject({ delivered: true });
    }
  });

  it('DI-084: a receiver that hangs keeps no message from another one, and no more than its share', async () => {
    const rig = await webhookRig(open, { attemptMs: 300 });
    const [hanging, quick] = [await Receiver.open('hang'), await Receiver.open(200)];
    await set(rig, 'hanging', hanging);
    await set(rig, 'quick', quick);
    for (let n = 0; n < 20; n++) await rig.run(`h${n}`, [{ when: ['run.failed'], endpoint: 'hanging' }]);
    await rig.run('q', [{ when: ['run.failed'], endpoint: 'quick' }]);
    await rig.first.look();
    await expect.poll(() => quick.received.length).toBe(1);
    expect(hanging.received.length).toBeLessThanOrEqual(4);
    await rig.first.settled();
  });

  it('DI-083 FF-044: of many processes one sends a message; of one that vanished in the middle another repeats it, under its id', async () => {
    const rig = await webhookRig(open);
    const receiver = await Receiver.open(200);
    await set(rig, 'ops', receiver);
    const many = [rig.first, rig.deliverer(), rig.deliverer()];
    for (let n = 0; n < 12; n++) await rig.run(`r${n}`, [{ when: ['run.failed'], endpoint: 'ops' }]);
    for (let n = 0; n < 4; n++) await Promise.all(many.map((each) => rig.round(each)));
    expect(receiver.received).toHaveLength(12);
    expect(new Set(receiver.ids).size).toBe(12);
    // Its claim is committed, and nothing more is heard of it.
    await rig.run('lost', [{ when: ['run.failed'], endpoint: 'ops' }]);
    await rig.database.write((tx) => tx.jobs.claim(['webhook:ops'], 'vanished', 30_000));
    await rig.round();
    expect(receiver.received).toHaveLength(12);
    rig.clock.skew = 30_000;
    await rig.round();
    expect(receiver.received).toHaveLength(13);
    expect(rig.faults).toEqual([]);
  });

  it('DI-083: a process that is told to stop leaves its messages to the next one, and spends no attempt', async () => {
    const rig = await webhookRig(open);
    const receiver = await Receiver.open('hang', 200);
    await set(rig, 'ops', receiver);
    await rig.run('r', [{ when: ['run.failed'], endpoint: 'ops' }]);
    await rig.first.look();
    await expect.poll(() => receiver.received.length).toBe(1);
    await rig.first.stop();
    expect(await stateOf(rig)).toEqual([['pending', 'aborted', undefined]]);
    rig.clock.skew = 1_000;
    await rig.round(rig.deliverer());
    expect(await stateOf(rig)).toEqual([['delivered', undefined, 200]]);
    expect(new Set(receiver.ids).size).toBe(1);
  });

  it('DI-083 FF-129: neither an address, nor a key, nor what a peer said is shown anywhere', async () => {
    const rig = await webhookRig(open);
    const receiver = await Receiver.open((response) => response.writeHead(500).end('canary-said'));
    const url = receiver.url('/canary-path?token=canary-token');
    await rig.secrets.put('token', 'canary-bearer');
    const answer = await rig.ops.call(setWebhook, {
      name: 'ops',
      url,
      secret: KEY,
      allow_private: true,
      bearer: 'secret:token',
    });
    await rig.run('r', [{ when: ['run.failed'], endpoint: 'ops' }], { reason: 'canary-body' });
    await rig.round();
    const jobs = await rig.database.read((tx) => tx.sql.all('SELECT payload, error FROM kernel_jobs'));
    const shown = JSON.stringify([
      answer,
      await rig.ops.call(listWebhooks, {}),
      await rig.ops.call(getWebhook, { name: 'ops' }),
      await rig.ops.call(listDeliveries, {}),
      jobs,
      rig.faults,
      await rig.ops.call(testWebhook, { name: 'ops' }),
    ]);
    expect(shown).toContain('http-status');
    expect(shown).not.toMatch(/canary|AQEB|secret:token/);
  });

  it('DI-084: no endpoint is without a key, a removed one gets nothing, and a test message is signed like any other', async () => {
    const rig = await webhookRig(open);
    const receiver = await Receiver.open(200);
    const url = receiver.url();
    for (const secret of [
      undefined,
      'whsec_',
      `whsec_${Buffer.alloc(23).toString('base64')}`,
      'x'.repeat(40),
    ])
      await expect(
        rig.ops.call(setWebhook, {
          name: 'ops',
          url,
          allow_private: true,
          ...(secret === undefined ? {} : { secret }),
        }),
      ).rejects.toMatchObject({ code: 'invalid_input' });
    await set(rig, 'ops', receiver);
    expect(await rig.ops.call(testWebhook, { name: 'ops' })).toEqual({
      name: 'ops',
      delivered: true,
      status: 200,
    });
    expect(verifyOutside(receiver.received[0] as Received)).toMatchObject({ type: 'webhook.test' });
    await rig.run('r', [{ when: ['run.failed'], endpoint: 'ops' }]);
    await rig.ops.call(removeWebhook, { name: 'ops' });
    await rig.round();
    expect(await stateOf(rig)).toEqual([['undelivered', 'refused', undefined]]);
    expect(receiver.received).toHaveLength(1);
    await expect(rig.ops.call(testWebhook, { name: 'ops' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('FF-097: the recipe of docs/webhooks.md takes what is sent as the bytes it is, and nothing that was changed', async () => {
    const text = readFileSync(resolve(import.meta.dirname, '../../../../docs/webhooks.md'), 'utf8');
    const recipe = /```js\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
    const { isOurs } = (await import(`data:text/javascript,${encodeURIComponent(recipe)}`)) as {
      isOurs: (secret: string, headers: object, body: Buffer, now?: number) => boolean;
    };
    const rig = await webhookRig(open);
    const receiver = await Receiver.open(200);
    await set(rig, 'ops', receiver);
    const reason = '  "odd"\t\\u0041 \u2028 é 𝕏 12345678901234567890 ';
    await rig.run('r', [{ when: ['run.failed'], endpoint: 'ops' }], { reason });
    await rig.round();
    const [{ headers, body }] = receiver.received as [Received];
    expect(isOurs(KEY, headers, body)).toBe(true);
    expect(isOurs(secretOf(2), headers, body)).toBe(false);
    expect(isOurs(KEY, headers, body, Date.now() + 301_000)).toBe(false);
    expect(isOurs(KEY, { ...headers, 'webhook-timestamp': 'x' }, body)).toBe(false);
    expect(isOurs(KEY, {}, body)).toBe(false);
    for (const at of [0, Math.floor(body.length / 2), body.length - 1]) {
      const changed = Buffer.from(body);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(isOurs(KEY, headers, changed)).toBe(false);
    }
    const strange = Buffer.from('{ "a" : 1e400, "a":"\\u00e9",\r\n  "n": 12345678901234567890 }');
    const at = new Date();
    const signed = {
      'webhook-id': 'msg_x',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': `v2,AAAA ${new Webhook(KEY).sign('msg_x', at, strange)}`,
    };
    expect(isOurs(KEY, signed, strange)).toBe(true);
  });
});
