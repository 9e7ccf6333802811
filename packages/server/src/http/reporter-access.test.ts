import {
  callerOf,
  declaredOperations,
  nameOf,
  type Operation,
  revokeCredential,
  SCOPES,
  SESSION_PROOF_HEADER,
} from '@palisade/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentWithJob, describedJob, newJob } from '../../test/agent-job.ts';
import { newSession } from '../../test/agent-session.ts';
import { Browser } from '../../test/browser.ts';
import { type Answer, EVERY_SCOPE, type HttpRig, httpRig, type Sent } from '../../test/http-rig.ts';
import { callByHand } from '../../test/mcp-rig.ts';
import { head, rawRequest } from '../../test/raw-request.ts';

const declared = declaredOperations();
const theirs = declared.filter(({ access }) => access === 'reporter');
const others = declared.filter(({ access }) => access !== 'reporter' && access !== 'anonymous');
const isBodied = ({ method }: Operation): boolean => method === 'POST' || method === 'PUT';

let rig: HttpRig;
let agent: Awaited<ReturnType<typeof agentWithJob>>;
let other: typeof agent;
let gone: typeof agent;

const pathOf = ({ path }: Operation, reporter: string): string =>
  path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => {
    const known: Readonly<Record<string, string>> = { project: 'default', job: agent.job.job, reporter };
    return known[name] ?? 'x';
  });
const call = (operation: Operation, how: Sent, reporter = agent.job.reporter): Promise<Answer> =>
  rig.send(operation.method, pathOf(operation, reporter), {
    key: 'k',
    ...(isBodied(operation) ? { body: {} } : {}),
    ...how,
  });
const shown = ({ status, body }: Answer) => JSON.stringify([status, { ...body, request_id: '' }]);

beforeAll(async () => {
  rig = await httpRig({ isShared: true });
  agent = await agentWithJob(rig.composition, 'default', 'ci');
  other = await agentWithJob(rig.composition, 'default', 'other');
  gone = await agentWithJob(rig.composition, 'default', 'gone');
  await callerOf(rig.composition.operations).call(revokeCredential, { credential: gone.credential });
});
afterAll(() => rig.close());

describe('who may call what with the bearer of a reporter', () => {
  it('AC-152: three operations are a reporter’s', () => {
    expect(theirs.map(({ id }) => id)).toEqual(['reporters.get', 'reporters.observe', 'reporters.renew']);
  });

  it.each(others.map((operation) => [operation.id, operation] as const))(
    'AC-152: %s does not know the bearer of a reporter, also beside the session that registered it',
    async (_, operation) => {
      const nobody = shown(await call(operation, { token: 'unknown' }));
      for (const headers of [{}, agent.session.headers])
        expect(shown(await call(operation, { token: agent.job.bearer, headers }))).toBe(nobody);
      expect(nobody).toContain('authentication_required');
    },
  );

  it.each(theirs.map((operation) => [operation.id, operation] as const))(
    'AC-152 AC-017: %s knows nobody but the reporter it names: forbidden and absent are one answer',
    async (_, operation) => {
      const nobody = shown(await call(operation, { token: 'unknown' }));
      expect(nobody).toContain('authentication_required');
      const { job, session } = agent;
      const none = newJob();
      const scopes = SCOPES.map((scope) => rig.token([scope]));
      const tokens = [undefined, agent.token, rig.token(EVERY_SCOPE), rig.token([]), ...scopes];
      for (const token of tokens)
        for (const headers of [{}, session.headers])
          expect(shown(await call(operation, { token, headers }))).toBe(nobody);
      const integrator = rig.token(SCOPES, { class: 'integrator' });
      // As whoever calls says it is: what is presented alone counts.
      const pretender = rig.token(SCOPES, { reporter: job.reporter });
      for (const token of [
        integrator,
        pretender,
        gone.job.bearer,
        other.job.bearer,
        none.bearer,
        job.bearer.toUpperCase(),
        job.bearer.replace('palr_', 'pal_'),
        `palr_${job.reporter.slice(4)}.${other.job.proof}`,
        `${job.bearer}0`,
      ])
        expect(shown(await call(operation, { token }))).toBe(nobody);
      for (const reporter of [other.job.reporter, gone.job.reporter, none.reporter, 'x', job.job])
        expect(shown(await call(operation, { token: job.bearer }, reporter))).toBe(nobody);
      expect(shown(await call(operation, { token: gone.job.bearer }, gone.job.reporter))).toBe(nobody);
      // Sent without anything of a harness session.
      for (const headers of [session.headers, { [SESSION_PROOF_HEADER]: job.proof }, newSession().headers])
        expect(shown(await call(operation, { token: job.bearer, headers }))).toBe(nobody);
      const own = await call(operation, { token: job.bearer });
      expect(own.status).not.toBe(401);
      expect(own.status).not.toBe(403);
    },
  );

  it('AC-152: a browser of an administrator is nobody there', async () => {
    const password = 'correct horse battery';
    await rig.composition.identity.initAdmin({ name: 'ada', password });
    const browser = new Browser(rig);
    await browser.signIn('ada', password);
    for (const operation of theirs) {
      const path = pathOf(operation, agent.job.reporter);
      const answer = await browser.send(operation.method, path, isBodied(operation) ? { body: {} } : {});
      expect(answer).toMatchObject({ status: 401, body: { code: 'authentication_required' } });
    }
  });

  it('AC-152: it is no credential of tools, figures or paths that are none', async () => {
    const { bearer, reporter } = agent.job;
    expect(await callByHand(rig, bearer, 'jobs_list')).toMatchObject({ status: 401 });
    for (const path of ['/metrics', '/v1/nothing', `/v1/reporters/${reporter}/nothing`, '/v1/reporters'])
      expect((await rig.send('GET', path, { token: bearer })).status).toBe(401);
    for (const operation of theirs)
      expect(await callByHand(rig, rig.token(EVERY_SCOPE), nameOf(operation))).toMatchObject({
        error: { code: -32_602 },
      });
  });

  it('AC-152 AC-016: who it is is settled before the body is read', async () => {
    const observe = theirs.find(({ id }) => id === 'reporters.observe') as Operation;
    const endless = { 'Content-Type': 'application/json', 'Content-Length': '1000', 'Idempotency-Key': 'k' };
    const ask = (bearer: string) =>
      rawRequest(
        rig.url,
        head('POST', pathOf(observe, agent.job.reporter), {
          ...endless,
          Host: new URL(rig.url).host,
          Authorization: `Bearer ${bearer}`,
        }),
      );
    expect(await ask(other.job.bearer).status).toBe(401);
    const broken = { token: agent.job.bearer, body: '{' };
    expect(await call(observe, { ...broken, headers: { 'Content-Type': 'application/json' } })).toMatchObject(
      {
        status: 400,
      },
    );
  });

  it('AC-056 AC-152: one whose credential is revoked after its report was let in reports nothing', async () => {
    const revoke = async (credential: string) =>
      callerOf(own.composition.operations).call(revokeCredential, { credential });
    let isRevoked = false;
    const own = await httpRig({
      onAuthenticated: async (token) => isRevoked && token === mine.job.bearer && revoke(mine.credential),
    });
    const mine = await agentWithJob(own.composition, 'default', 'ci');
    const report = (sequence: number, state: string) =>
      own.send('POST', `/v1/reporters/${mine.job.reporter}/observations`, {
        token: mine.job.bearer,
        key: `k${sequence}`,
        body: { sequence, producer_id: mine.job.producer, state },
      });
    expect((await report(1, 'running')).status).toBe(200);
    isRevoked = true;
    expect(await report(2, 'unknown')).toMatchObject({
      status: 401,
      body: { code: 'authentication_required' },
    });
    const { body } = await own.send('GET', `/v1/projects/default/jobs/${mine.job.job}`, {
      token: own.token(['read']),
    });
    expect(body).toMatchObject({ state: 'running', last_observation: { sequence: 1 } });
  });

  it('AC-154: it reports over HTTP, and whoever may read the project sees it', async () => {
    const { job } = agent;
    const send = (path: string, body: object, key: string) =>
      rig.send('POST', `/v1/reporters/${job.reporter}${path}`, { token: job.bearer, key, body });
    expect(await rig.send('GET', `/v1/reporters/${job.reporter}`, { token: job.bearer })).toMatchObject({
      status: 200,
      body: { launch_allowed: true, job: { id: job.job, state: 'registered' } },
    });
    expect((await send('/renew', {}, 'renewed')).status).toBe(200);
    const report = { sequence: 1, producer_id: job.producer, state: 'running', pid: 7 };
    expect(await send('/observations', report, 'one')).toMatchObject({
      status: 200,
      body: { launch_allowed: false },
    });
    const seen = await rig.send('GET', '/v1/projects/default/jobs?state=running', {
      token: rig.token(['read']),
    });
    expect(seen.body.data).toMatchObject([{ id: job.job, freshness: 'fresh', last_observation: { pid: 7 } }]);
    // Its actor is the one of the credential that it stands on.
    expect(rig.lines.findLast(({ operation }) => operation === 'reporters.observe')).toMatchObject({
      actor: 'agent:ci',
    });
  });

  it('AC-150: a session registers a job as a tool too, and nobody else does', async () => {
    const args = { ...describedJob(newJob()), idempotency_key: 'tool' };
    const register = (token: string, headers: Record<string, string>) =>
      callByHand(rig, token, 'jobs_register', args, headers);
    expect((await register(agent.token, {})).told).toMatchObject({ code: 'invalid_state' });
    expect((await register(agent.token, agent.session.headers)).told).toMatchObject({
      job: { id: args.job_id, state: 'registered' },
      renew_after_seconds: 100,
    });
  });

  it('guesses at proofs are as few as guesses at tokens', async () => {
    const own = await httpRig({ failures: { perSecond: 0.01, burst: 3 } });
    const { job } = await agentWithJob(own.composition, 'default', 'ci');
    const statuses = [];
    for (let i = 0; i < 5; i++) {
      const token = `palr_${job.reporter.slice(4)}.${newJob().proof}`;
      statuses.push((await own.send('GET', `/v1/reporters/${job.reporter}`, { token })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });

  it('AC-152: a flood of one reporter holds a small share of its own: nobody else of its principal is refused', async () => {
    const limits = { calls: { perCaller: 5, inAll: 100 }, reports: { perCaller: 2, inAll: 100 } };
    const own = await httpRig({ load: limits });
    const { job, token, session } = await agentWithJob(own.composition, 'default', 'ci');
    const another = async () => {
      const made = newJob();
      const how = { token, headers: session.headers, key: made.job, body: describedJob(made) };
      expect((await own.send('POST', '/v1/projects/default/jobs', how)).status).toBe(200);
      return made;
    };
    const [second, third] = [await another(), await another()];
    const flood = ({ bearer, reporter }: typeof job) => {
      const headers = { Authorization: `Bearer ${bearer}`, 'Idempotency-Key': 'k', 'Content-Length': '1000' };
      const json = { ...headers, 'Content-Type': 'application/json' };
      return Array.from({ length: 10 }, () =>
        rawRequest(own.url, head('POST', `/v1/reporters/${reporter}/observations`, json)),
      );
    };
    const look = async ({ bearer, reporter }: typeof job) =>
      (await own.send('GET', `/v1/reporters/${reporter}`, { token: bearer })).status;
    const slow = flood(job);
    await expect.poll(() => slow.filter(({ text }) => text() !== '').length).toBe(8);
    expect(await look(job)).toBe(429);
    expect(await look(second)).toBe(200);
    // However many they are, together they are one caller, and not the one that they report for.
    for (const each of [second, third]) slow.push(...flood(each));
    await expect.poll(() => slow.filter(({ text }) => text() !== '').length).toBe(25);
    expect((await own.send('GET', '/v1/projects/default/jobs', { token })).status).toBe(200);
    for (const { socket } of slow) socket.destroy();
    await expect.poll(() => look(job)).toBe(200);
  });

  it('AC-152: a reporter reports at a rate of its own', async () => {
    const own = await httpRig({ reportRate: { perSecond: 0.01, burst: 3 } });
    const { job, token } = await agentWithJob(own.composition, 'default', 'ci');
    const path = `/v1/reporters/${job.reporter}`;
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await own.send('GET', path, { token: job.bearer })).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    const other = await agentWithJob(own.composition, 'default', 'other');
    const theirs = await own.send('GET', `/v1/reporters/${other.job.reporter}`, { token: other.job.bearer });
    expect(theirs.status).toBe(200);
    expect((await own.send('GET', '/v1/projects/default/jobs', { token })).status).toBe(200);
  });

  it('DI-048: what it says holds no token of this product, nor a bearer as its own', async () => {
    const { job, token, session } = other;
    const refused = { status: 422, body: { code: 'credential_in_text' } };
    for (const secret of [token, job.bearer]) {
      const body = { ...describedJob(newJob()), label: `x ${secret}` };
      const described = { token, headers: session.headers, key: secret.slice(-40), body };
      expect(await rig.send('POST', '/v1/projects/default/jobs', described)).toMatchObject(refused);
      const report = { sequence: 1, producer_id: job.producer, state: 'running', summary: `x ${secret}` };
      const told = { token: job.bearer, key: secret.slice(-40), body: report };
      expect(await rig.send('POST', `/v1/reporters/${job.reporter}/observations`, told)).toMatchObject(
        refused,
      );
    }
  });

  it('nothing that was presented is in the log', () => {
    const lines = JSON.stringify(rig.lines);
    for (const { job } of [agent, other, gone]) {
      expect(lines).not.toContain(job.proof);
      expect(lines).not.toContain(describedJob(job).reporter_verifier);
    }
  });
});
