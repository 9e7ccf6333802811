import {
  declaredOperations,
  type Operation,
  SCOPES,
  SESSION_HEADER,
  SESSION_PROOF_HEADER,
} from '@palisade/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  close,
  describedAs,
  issuedToken,
  type KeptSession,
  newSession,
  register,
} from '../../test/agent-session.ts';
import { EVERY_SCOPE, type HttpRig, httpRig } from '../../test/http-rig.ts';

const pathOf = ({ path }: Operation): string =>
  path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => (name === 'project' ? 'default' : 'x'));
const isBodied = ({ method }: Operation): boolean => method === 'POST' || method === 'PUT';
/** What asks for a scope. */
const closed = declaredOperations().filter(({ access }) => access !== 'anonymous' && access !== 'reporter');
/** What is judged before it is called. */
const judged = closed.filter(({ session }) => session === undefined);

let rig: HttpRig;
let token: string;
let another: string;
const open = newSession();
const beside = newSession();
const theirs = newSession();
const over = newSession();

const call = (operation: Operation, as: string, headers: Record<string, string>) =>
  rig.send(operation.method, pathOf(operation), {
    token: as,
    key: 'k',
    headers,
    ...(isBodied(operation) ? { body: {} } : {}),
  });
const shown = ({ status, body }: Awaited<ReturnType<typeof call>>) =>
  JSON.stringify([status, { ...body, request_id: '', generated_at: 0 }]);

beforeAll(async () => {
  rig = await httpRig({ isShared: true });
  token = await issuedToken(rig, 'ci');
  another = await issuedToken(rig, 'other');
  for (const [as, session] of [
    [token, open],
    [token, beside],
    [token, over],
    [another, theirs],
  ] as const)
    expect((await register(rig, as, session)).status).toBe(200);
  expect((await close(rig, token, over)).status).toBe(200);
});
afterAll(() => rig.close());

describe('who may call what in a harness session', () => {
  const bad: readonly (readonly [string, () => Record<string, string>])[] = [
    ['a wrong proof', () => ({ ...open.headers, [SESSION_PROOF_HEADER]: beside.proof })],
    [
      'a proof of another form',
      () => ({ ...open.headers, [SESSION_PROOF_HEADER]: open.proof.toUpperCase() }),
    ],
    ['a session that was closed', () => over.headers],
    ['a session that nobody has', () => newSession().headers],
    ['a session of another credential', () => theirs.headers],
    ['no proof', () => ({ [SESSION_HEADER]: open.id })],
    ['a proof of nothing', () => ({ [SESSION_PROOF_HEADER]: open.proof })],
    ['two sessions', () => ({ ...open.headers, [SESSION_HEADER]: `${open.id}, ${beside.id}` })],
    ['empty headers', () => ({ [SESSION_HEADER]: '', [SESSION_PROOF_HEADER]: '' })],
  ];

  it.each(judged.map((operation) => [operation.id, operation] as const))(
    'AC-058: %s in a session that is not good is answered as without a credential, whatever is wrong with it',
    async (_, operation) => {
      const nobody = shown(await call(operation, 'unknown', {}));
      for (const [why, headers] of bad)
        expect([why, shown(await call(operation, token, headers()))]).toEqual([why, nobody]);
      // A credential of somebody else makes nothing good, nor does one that may do everything.
      for (const as of [another, rig.token(EVERY_SCOPE)])
        expect(shown(await call(operation, as, open.headers))).toBe(nobody);
      // In a good one it is answered as without one.
      expect(shown(await call(operation, token, open.headers))).toBe(shown(await call(operation, token, {})));
    },
  );

  it.each(closed.map((operation) => [operation.id, operation] as const))(
    'AC-055: %s is not called by an integrator, whatever its scopes are',
    async (_, operation) => {
      const integrator = rig.token(SCOPES, { class: 'integrator' });
      const { status, body } = await call(operation, integrator, {});
      expect([status, body.code]).toEqual([403, 'operation_not_permitted']);
    },
  );

  it('AC-054: what a credential that reads may change is its own sessions, and nothing else that is declared', async () => {
    const reader = await issuedToken(rig, 'reader', { scopes: ['read'] });
    const changes = closed.filter(({ effect }) => effect !== 'read');
    for (const operation of changes.filter(({ session }) => session === undefined))
      expect((await call(operation, reader, {})).status).toBe(403);
    const own = newSession();
    expect((await register(rig, reader, own)).status).toBe(200);
    const named = { subagent: { project: 'default', name: 'helper', parent_session: own.id } };
    expect(await register(rig, reader, newSession(), named)).toMatchObject({
      status: 403,
      body: { code: 'operation_not_permitted' },
    });
    expect((await close(rig, reader, own)).status).toBe(200);
  });

  it('AC-059: a closed session can be looked at with its own headers, closed again, and registered never', async () => {
    const path = `/v1/harness-sessions/${over.id}`;
    const seen = await rig.send('GET', path, { token, headers: over.headers });
    expect(seen).toMatchObject({ status: 200, body: { session_id: over.id, closed_at: expect.any(Number) } });
    expect((await close(rig, token, over)).status).toBe(200);
    expect(await register(rig, token, over)).toMatchObject({ status: 409, body: { code: 'session_closed' } });
  });

  it('AC-057 AO-132: a registration says its session once: a header that names another one is refused', async () => {
    const session = newSession();
    const send = (headers: Record<string, string>) =>
      rig.send('POST', '/v1/harness-sessions', {
        token,
        key: session.id,
        headers,
        body: describedAs(session),
      });
    const bad: Record<string, string>[] = [
      {},
      { [SESSION_HEADER]: session.id },
      { ...session.headers, [SESSION_HEADER]: open.id },
    ];
    for (const headers of bad)
      expect(await send(headers)).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
    expect((await send(session.headers)).status).toBe(200);
    const path = `/v1/harness-sessions/${session.id}`;
    expect((await rig.send('GET', path, { token, headers: session.headers })).status).toBe(200);
  });

  it('AO-128: a proof in an address, a body or a cookie is none', async () => {
    const session: KeptSession = newSession();
    const { id, proof } = session;
    const body = describedAs(session);
    const at = (query: string, more: object = {}) =>
      rig.send('POST', `/v1/harness-sessions${query}`, { token, key: 'q', body, ...more });
    const answers = [
      await at(`?${SESSION_PROOF_HEADER}=${proof}`),
      await at('', { body: { ...body, proof } }),
      await at('', { headers: { Cookie: `${SESSION_PROOF_HEADER}=${proof}` } }),
      await rig.send('GET', `/v1/harness-sessions?session=${open.id}&proof=${open.proof}`, { token }),
    ];
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
    expect(JSON.stringify([answers.map(({ body: told }) => told), rig.lines])).not.toMatch(
      new RegExp(`${proof}|${open.proof}`),
    );
    expect((await rig.send('GET', `/v1/harness-sessions/${id}`, { token })).status).toBe(404);
  });

  it('a session that is closed after its call was let in changes nothing', async () => {
    const session = newSession();
    let isClosing = false;
    const own = await httpRig({
      onAuthenticated: async () => {
        if (!isClosing) return;
        isClosing = false;
        await close(own, agent, session);
      },
    });
    const agent = await issuedToken(own, 'ci');
    expect((await register(own, agent, session)).status).toBe(200);
    const submit = (run: string) =>
      own.send('POST', '/v1/projects/default/runs', {
        token: agent,
        key: run,
        headers: session.headers,
        body: { run_id: run, plan: { items: [{ id: 'a', command: 'true' }] } },
      });
    expect((await submit('before')).status).toBe(200);
    isClosing = true;
    expect(await submit('after')).toMatchObject({ status: 401, body: { code: 'authentication_required' } });
    const runs = await own.send('GET', '/v1/projects/default/runs', { token: agent });
    expect(JSON.stringify(runs.body)).not.toContain('after');
  });

  it('guesses at proofs are as few as guesses at tokens', async () => {
    const own = await httpRig({ failures: { perSecond: 0.01, burst: 5 } });
    const agent = await issuedToken(own, 'ci');
    const session = newSession();
    await register(own, agent, session);
    const guess = async () => {
      const headers = { ...session.headers, [SESSION_PROOF_HEADER]: newSession().proof };
      return (await own.send('GET', '/v1/projects/default/runs', { token: agent, headers })).status;
    };
    const statuses = [];
    for (let i = 0; i < 8; i++) statuses.push(await guess());
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
  });

  it('nothing that was presented is in the log', () => {
    const lines = JSON.stringify(rig.lines);
    for (const { id, proof } of [open, beside, over, theirs]) {
      expect(lines).not.toContain(proof);
      expect(lines).not.toContain(id);
    }
  });
});
