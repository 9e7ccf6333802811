import { declaredOperations, isOfProject, type Operation, type Scope, SCOPES } from '@palisade/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVERY_SCOPE, type HttpRig, httpRig } from '../../test/http-rig.ts';

const pathOf = ({ path }: Operation, project = 'default'): string =>
  path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => (name === 'project' ? project : 'x'));

/** What asks for a credential. */
const closed = declaredOperations().filter(({ access }) => access !== 'anonymous');

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
  beforeAll(async () => {
    shared = await httpRig({ isShared: true });
  });
  afterAll(() => shared.close());

  it.each(closed.map((operation) => [operation.id, operation] as const))(
    'EX-198 EX-020: %s asks for its scope, and hides projects',
    async (_, operation) => {
      const rig = shared;
      const call = (token: string, path = pathOf(operation)) =>
        rig.send(operation.method, path, { token, key: 'k', ...(isBodied(operation) ? { body: {} } : {}) });
      const without = await call(rig.token(SCOPES.filter((scope) => scope !== operation.access)));
      expect(without).toMatchObject({ status: 403, body: { code: 'operation_not_permitted' } });
      const within = await call(rig.token([operation.access as Scope]));
      expect(within.status).not.toBe(401);
      expect(within.body.detail ?? '').not.toContain('it needs the scope');
      const revoked = rig.token(EVERY_SCOPE);
      rig.revoke(revoked);
      expect((await call(revoked)).status).toBe(401);
      if (!isOfProject(operation)) return;
      const elsewhere = rig.token(EVERY_SCOPE, { project: 'theirs' });
      const forbidden = await call(elsewhere);
      const absent = await call(rig.token(EVERY_SCOPE), pathOf(operation, 'absent'));
      expect(forbidden.status).toBe(404);
      expect(absent.status).toBe(404);
      const shown = ({ body }: typeof absent) => ({
        ...body,
        request_id: '',
        detail: body.detail.split(' ').slice(0, 2),
      });
      expect(shown(forbidden)).toEqual(shown(absent));
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
