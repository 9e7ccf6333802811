import {
  callerOf,
  createProject,
  declaredOperations,
  nameOf,
  isOfProject,
  type Operation,
  type Scope,
  SCOPES,
} from '@palisade/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVERY_SCOPE, type HttpRig, httpRig } from '../../test/http-rig.ts';
import { callByHand, mcpClient, message, post } from '../../test/mcp-rig.ts';
import { isTool } from './tools.ts';

const tools = declaredOperations().filter(isTool);

let rig: HttpRig;
beforeAll(async () => {
  rig = await httpRig({ isShared: true });
});
afterAll(() => rig.close());

const keyed = ({ effect }: Operation) => (effect === 'read' ? {} : { idempotency_key: 'k' });

describe('who may call which tool', () => {
  it.each(tools.map((operation) => [nameOf(operation), operation] as const))(
    'AO-129 AO-130 EX-020: %s asks for a credential, its scope and the project',
    async (name, operation) => {
      for (const token of [undefined, 'unknown'])
        expect(await callByHand(rig, token, name)).toMatchObject({
          status: 401,
          problem: { code: 'authentication_required' },
        });
      const call = (token: string, args: object = keyed(operation)) => callByHand(rig, token, name, args);
      const without = rig.token(SCOPES.filter((scope) => scope !== operation.access));
      expect(await call(without)).toMatchObject({
        status: 200,
        isError: true,
        told: { code: 'operation_not_permitted', status: 403 },
      });
      const within = await call(rig.token([operation.access as Scope]));
      expect(within.status).toBe(200);
      expect(within.told?.['code']).not.toBe('operation_not_permitted');
      const revoked = rig.token(EVERY_SCOPE);
      rig.revoke(revoked);
      expect((await call(revoked)).status).toBe(401);
      if (!isOfProject(operation)) return;
      const bound = rig.token(EVERY_SCOPE, { project: 'theirs' });
      const forbidden = await call(bound, { ...keyed(operation), project: 'default' });
      const absent = await call(rig.token(EVERY_SCOPE), { ...keyed(operation), project: 'absent' });
      const shown = ({ told }: typeof absent) => ({
        ...told,
        request_id: '',
        detail: String(told?.['detail']).replace(/absent|default/, 'KEY'),
      });
      expect(absent.told).toMatchObject({ code: 'not_found' });
      expect(shown(forbidden)).toEqual(shown(absent));
    },
  );

  it('AC-004: a credential of one project means that one, and any other the default one, where no project is named', async () => {
    const titleOf = async (token: string) => (await callByHand(rig, token, 'projects_get')).told?.['title'];
    await callerOf(rig.composition.operations).call(createProject, { key: 'shop', title: 'Web shop' });
    expect(await titleOf(rig.token(['read'], { project: 'shop' }))).toBe('Web shop');
    expect(await titleOf(rig.token(['read']))).toBe('default');
  });

  it('DI-216 DI-263 AO-129: only what the credential allows is listed, and nothing that rules is any tool', async () => {
    const listed = async (scopes: Parameters<HttpRig['token']>[0]) => {
      const { client } = await mcpClient(rig, rig.token(scopes));
      return (await client.listTools()).tools.map(({ name }) => name);
    };
    const of = (...scopes: string[]) =>
      tools.filter(({ access }) => scopes.includes(access)).map((operation) => nameOf(operation));
    expect(await listed(['read'])).toEqual(of('read').toSorted());
    expect(await listed(['write'])).toEqual(of('write').toSorted());
    expect(await listed(EVERY_SCOPE)).toEqual(of('read', 'write').toSorted());
    expect(await listed(['approve', 'provision', 'system'])).toEqual([]);
    for (const operation of declaredOperations().filter((each) => !isTool(each)))
      expect(await callByHand(rig, rig.token(EVERY_SCOPE), nameOf(operation))).toMatchObject({
        told: undefined,
        error: { code: -32_602 },
      });
  });

  it('AO-130: whoever is nobody is refused before anything of the protocol is read', async () => {
    const whole = await post(rig, undefined, message('tools/list'));
    for (const body of ['{', '[]', 'x'.repeat(100), '{"jsonrpc":"2.0","method":"initialize","id":1}']) {
      const answer = await post(rig, 'unknown', body, { Origin: 'https://evil.example' });
      expect(answer.status).toBe(401);
      expect({ ...answer.body, request_id: '' }).toEqual({ ...whole.body, request_id: '' });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('AC-056 AO-130: a credential that is revoked after its call was let in is an authentication failure', async () => {
    let revoked: string | undefined;
    const own = await httpRig({ onAuthenticated: (token) => token === revoked && own.revoke(token) });
    const token = own.token(EVERY_SCOPE);
    const submit = (run: string) =>
      callByHand(own, token, 'plans_submit', {
        plan: { items: [{ id: 'a', command: 'true' }] },
        run_id: run,
        idempotency_key: run,
      });
    expect((await submit('before')).told).toMatchObject({ created: true });
    revoked = token;
    expect(await submit('after')).toMatchObject({
      status: 401,
      problem: { code: 'authentication_required' },
    });
    const runs = await callByHand(own, own.token(['read']), 'runs_list');
    expect(JSON.stringify(runs.told)).not.toContain('after');
  });
});
