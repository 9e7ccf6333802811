import { declaredOperations, nameOf, SESSION_PROOF_HEADER } from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import { describedAs, issuedToken, newSession, register } from '../../test/agent-session.ts';
import { httpRig } from '../../test/http-rig.ts';
import { message, post } from '../../test/mcp-rig.ts';
import { isTool } from './tools.ts';

interface ToolAnswer {
  readonly result?: { readonly isError?: boolean; readonly structuredContent?: Record<string, unknown> };
}

async function agentOf(rig: Awaited<ReturnType<typeof httpRig>>, name: string) {
  const token = await issuedToken(rig, name);
  const session = newSession();
  const call = async (tool: string, args: object = {}, headers = session.headers) => {
    const answer = await post(rig, token, message('tools/call', { name: tool, arguments: args }), headers);
    const { result } = answer.body as unknown as ToolAnswer;
    return {
      status: answer.status,
      body: answer.body,
      result: result?.structuredContent,
      isError: result?.isError,
    };
  };
  return { token, session, call };
}

describe('harness sessions over MCP', () => {
  it('AO-131 AO-133: an agent that presents a session on every request looks, registers it once, and works in it', async () => {
    const rig = await httpRig();
    const { token, session, call } = await agentOf(rig, 'ci');
    const listed = await post(rig, token, message('tools/list'), session.headers);
    expect(listed.status).toBe(200);
    expect(JSON.stringify(listed.body)).not.toContain(session.proof);
    const seen = await call('harness_sessions_get', { session: session.id });
    expect(seen).toMatchObject({ status: 200, isError: true });
    // Until it is registered it opens nothing else, and looking registered nothing.
    expect((await call('runs_list')).status).toBe(401);
    const args = { ...describedAs(session), idempotency_key: 'k' };
    const other = { ...args, session_id: newSession().id };
    expect(await call('harness_sessions_register', other)).toMatchObject({ status: 200, isError: true });
    const made = await call('harness_sessions_register', args);
    expect(made).toMatchObject({ result: { session_id: session.id, launch: session.id } });
    expect((await call('harness_sessions_register', args)).result).toEqual(made.result);
    expect(await call('runs_list')).toMatchObject({ status: 200, result: { data: [] } });
    await call('harness_sessions_close', { session: session.id, idempotency_key: 'c' });
    expect((await call('runs_list')).status).toBe(401);
    const again = await call('harness_sessions_get', { session: session.id });
    expect(again).toMatchObject({ result: { closed_at: expect.any(Number) } });
    expect(JSON.stringify(rig.lines)).not.toContain(session.proof);
  });

  it('AO-130: a tool in a session that is not good is an authentication failure, whatever the tool', async () => {
    const rig = await httpRig();
    const [a, b] = [await agentOf(rig, 'a'), await agentOf(rig, 'b')];
    for (const { token, session } of [a, b]) expect((await register(rig, token, session)).status).toBe(200);
    const bad = [
      { ...a.session.headers, [SESSION_PROOF_HEADER]: b.session.proof },
      b.session.headers,
      newSession().headers,
    ];
    const tools = declaredOperations().filter((each) => isTool(each) && each.session === undefined);
    for (const operation of tools)
      for (const headers of bad) {
        const answer = await a.call(nameOf(operation), {}, headers);
        expect([operation.id, answer.status, answer.body.code]).toEqual([
          operation.id,
          401,
          'authentication_required',
        ]);
      }
    const closing = { session: a.session.id, idempotency_key: 'k' };
    for (const headers of bad)
      expect((await a.call('harness_sessions_close', closing, headers)).status).toBe(401);
    expect((await a.call('runs_list')).status).toBe(200);
  });

  it('AO-128: a proof is no argument of any tool', async () => {
    const rig = await httpRig();
    const { session, call } = await agentOf(rig, 'ci');
    const args = { ...describedAs(session), proof: session.proof, idempotency_key: 'k' };
    const answer = await call('harness_sessions_register', args);
    expect(answer).toMatchObject({ status: 200, isError: true });
    expect(JSON.stringify(answer.body)).not.toContain(session.proof);
    const fields = declaredOperations().flatMap(({ input }) =>
      Object.keys((input as { shape?: object }).shape ?? {}),
    );
    expect(fields.filter((name) => name.includes('proof'))).toEqual([]);
  });
});
