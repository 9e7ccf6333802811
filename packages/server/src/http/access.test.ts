import {
  callerOf,
  type ContentHash,
  createProject,
  declaredOperations,
  isOfProject,
  type Operation,
  type Scope,
  SCOPES,
} from '@palisade/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileBlobStore } from '@palisade/kernel';
import { describedJob, newJob } from '../../test/agent-job.ts';
import { type Furniture, furnish, nothing, pathTo } from '../../test/furnished-project.ts';
import { EVERY_SCOPE, type HttpRig, httpRig } from '../../test/http-rig.ts';

const pathOf = ({ path }: Operation, project = 'default'): string =>
  path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => (name === 'project' ? project : 'x'));

/** What asks for a credential. */
const closed = declaredOperations().filter(({ access }) => access !== 'anonymous');
/** What asks for a scope; what a reporter calls has stories of its own. */
const scoped = closed.filter(({ access }) => access !== 'reporter');

describe('who may call what', () => {
  it('every declared operation is offered, and nothing else', async () => {
    const rig = await httpRig();
    const bound = rig.composition.operations.map(({ operation }) => operation.id).toSorted();
    expect(bound).toEqual(declaredOperations().map(({ id }) => id));
  });

  it('AC-016 AC-017 EX-020: nobody learns what there is: one answer for every route, known or not', async () => {
    const rig = await httpRig();
    const answers = new Set<string>();
    const paths = closed.map((operation) => [operation.method, pathOf(operation)] as const);
    const others = [
      ['GET', '/v1/projects/other/runs'],
      ['GET', '/v1/nothing'],
      ['PATCH', '/v1/projects'],
      ['GET', '/'],
    ] as const;
    for (const [method, path] of [...paths, ...others])
      for (const token of [undefined, 'unknown', 'pal_x'.repeat(200)]) {
        const { status, body, headers } = await rig.send(method, path, { token });
        const { request_id: id, ...rest } = body;
        expect(headers.get('request-id')).toBe(id);
        expect(headers.get('www-authenticate')).toBe('Bearer');
        answers.add(JSON.stringify([status, rest]));
      }
    expect([...answers]).toHaveLength(1);
    expect([...answers][0]).toContain('authentication_required');
  });

  let shared: HttpRig;
  let theirs: Furniture;
  beforeAll(async () => {
    shared = await httpRig({ isShared: true });
    const { composition } = shared;
    for (const key of ['ours', 'theirs']) await callerOf(composition.operations).call(createProject, { key });
    theirs = await furnish(composition, fileBlobStore(composition.plane.blobs), 'theirs', 'secret-plan');
  });
  afterAll(() => shared.close());

  it.each(scoped.map((operation) => [operation.id, operation] as const))(
    'EX-198: %s asks for its scope',
    async (_, operation) => {
      const rig = shared;
      const call = (token: string) =>
        rig.send(operation.method, pathOf(operation), {
          token,
          key: 'k',
          ...(isBodied(operation) ? { body: {} } : {}),
        });
      const without = await call(rig.token(SCOPES.filter((scope) => scope !== operation.access)));
      expect(without).toMatchObject({ status: 403, body: { code: 'operation_not_permitted' } });
      const within = await call(rig.token([operation.access as Scope]));
      expect(within.status).not.toBe(401);
      expect(within.body.detail ?? '').not.toContain('it needs the scope');
      const revoked = rig.token(EVERY_SCOPE);
      rig.revoke(revoked);
      expect((await call(revoked)).status).toBe(401);
    },
  );

  const ofProject = declaredOperations().filter(isOfProject);

  it.each(ofProject.map((operation) => [operation.id, operation] as const))(
    'EX-020: %s tells a project that is there from none to nobody who may not see it',
    async (_, operation) => {
      const rig = shared;
      const token = rig.token(EVERY_SCOPE, { project: 'ours' });
      const ask = (project: string, things: Furniture) =>
        rig.send(operation.method, pathTo(operation, project, things) + queryFor(operation, things), {
          token,
          key: `${operation.id}-${project}`,
          ...(isBodied(operation) ? { body: bodyFor(operation, things) } : {}),
        });
      const foreign = await ask('theirs', theirs);
      const absent = await ask('absent', nothing(theirs));
      expect(foreign.status).toBe(404);
      expect(without(foreign, 'theirs', theirs)).toEqual(without(absent, 'absent', nothing(theirs)));
    },
  );

  it.each(ofProject.map((operation) => [operation.id, operation] as const))(
    'AC-005 EX-020: %s tells what another project has from what nobody has to nobody',
    async (_, operation) => {
      const rig = shared;
      const token = rig.token(EVERY_SCOPE, { project: 'ours' });
      const ask = (things: Furniture) =>
        rig.send(operation.method, pathTo(operation, 'ours', things) + queryFor(operation, things), {
          token,
          key: `${operation.id}-${things.name}`,
          ...(isBodied(operation) ? { body: bodyFor(operation, things) } : {}),
        });
      const [foreign, absent] = [await ask(theirs), await ask(nothing(theirs))];
      expect(without(foreign, 'ours', theirs)).toEqual(without(absent, 'ours', nothing(theirs)));
      // Lists of what a project has are not asked for by name, and have nothing in them.
      if (operation.method === 'GET') expect(JSON.stringify(foreign.body)).not.toContain('human:');
    },
  );

  it('AC-056: a credential that is revoked after its call was let in changes nothing', async () => {
    let revoked: string | undefined;
    const rig = await httpRig({ onAuthenticated: (token) => token === revoked && rig.revoke(token) });
    const token = rig.token(['provision']);
    const set = (name: string) =>
      rig.send('PUT', `/v1/projects/default/queues/${name}`, { token, key: name, body: { concurrency: 3 } });
    expect((await set('before')).status).toBe(200);
    revoked = token;
    expect(await set('after')).toMatchObject({ status: 401, body: { code: 'authentication_required' } });
    const { body } = await rig.send('GET', '/v1/projects/default/queues', { token: rig.token(['read']) });
    expect(body.data.map(({ name }) => name)).toEqual(['before', 'default']);
  });
});

const isBodied = ({ method }: Operation): boolean => method === 'POST' || method === 'PUT';

/** A query that names things of a project, of an operation that takes their names there. */
function queryFor({ id }: Operation, { name, run }: Furniture): string {
  const queries: Readonly<Record<string, string>> = {
    'events.subscribe': `run=${run}`,
    'requests.list': `run=${run}`,
    'artifacts.get': `run=${run}`,
    'webhooks.deliveries': `endpoint=${name}`,
    'agents.stale': `name=${name}`,
  };
  return queries[id] === undefined ? '' : `?${queries[id]}`;
}

/** A body that names things of a project wherever the operation takes a name in its body. */
function bodyFor({ id }: Operation, { name, run, ref, message, job }: Furniture): object {
  const plan = {
    items: [
      {
        id: 'a',
        agent: name,
        inputs: { env: name, capabilities: [name], pipeline: name, inputRefs: { x: ref as ContentHash } },
      },
    ],
    queue: name,
    notifications: [{ endpoint: name, when: ['run.completed'] }],
  };
  const submission = { plan, sandbox: 'process' };
  const bodies: Readonly<Record<string, object>> = {
    'plans.submit': submission,
    'plans.validate': { plan },
    'schedules.add': { name: 'new', cron: '0 0 1 1 *', submission },
    'agents.register': { name: 'new', run: { harness: 'command', command: 'true' }, capabilities: [name] },
    'envs.register': { name: 'new', secrets: { S: { ref: `secret:${name}` } } },
    'model_endpoints.register': {
      name: 'new',
      kind: 'anthropic',
      url: 'https://models.example.com',
      secret: `secret:${name}`,
    },
    'webhooks.set': {
      url: 'https://example.com/hook',
      secret: `whsec_${'b'.repeat(40)}`,
      bearer: `secret:${name}`,
      dry_run: true,
    },
    'webhooks.replay': { ids: [message] },
    'requests.answer': { answer: 'this one' },
    'requests.decide': { decision: 'approve' },
    'runs.extend': { items: [{ id: 'more', command: 'true' }] },
    'runs.budget': { attempts: 3 },
    'runs.rerun': { run_id: run },
    'messages.send': { body: 'hello' },
    'jobs.register': describedJob({ ...newJob(), job }),
    'secrets.put': { value: 'x', dry_run: true },
    'queues.set': { concurrency: 1, dry_run: true },
    'projects.archive': { reason: 'r', dry_run: true },
    'projects.restore': { reason: 'r', dry_run: true },
  };
  return bodies[id] ?? {};
}

/** A reply without what the request itself said, and without what every reply has of its own. */
function without(
  { status, body }: { status: number; body: object },
  project: string,
  things: Furniture,
): unknown {
  let text = JSON.stringify({ status, ...body, request_id: '' });
  for (const [kind, value] of Object.entries({ project, ...things }))
    if (kind !== 'item') text = text.replaceAll(value, `<${kind}>`);
  return JSON.parse(text.replaceAll(/\b\d{13}\b/g, '0'));
}
