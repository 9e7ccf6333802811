import { declaredOperations, errorCatalogue, isKeyed, nameOf, Plan } from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import { httpRig } from '../../test/http-rig.ts';
import { mcpClient } from '../../test/mcp-rig.ts';
import { isTool } from '../mcp/tools.ts';
import { AGENT_GUIDE } from './agent-guide.ts';
import { authenticationHelp } from './authentication-help.ts';

describe('what anybody may read', () => {
  it('AO-001 AO-002: what the server is and how an agent begins, the same whatever is in it', async () => {
    const read = async (isFull: boolean) => {
      const rig = await httpRig();
      if (isFull) {
        await rig.composition.identity.initAdmin({ name: 'ada', password: 'correct horse battery' });
        const body = { run_id: 'r', plan: { items: [{ id: 'a', command: 'true' }] } };
        const token = rig.token(['write']);
        expect((await rig.send('POST', '/v1/projects/default/runs', { token, key: 'k', body })).status).toBe(
          200,
        );
      }
      const answers = [];
      for (const path of ['/v1/info', '/v1/help/authentication']) {
        const { status, body } = await rig.send('GET', path);
        expect(status).toBe(200);
        answers.push(body);
      }
      return answers;
    };
    const [info, help] = await read(false);
    expect([info, help]).toEqual(await read(true));
    expect(info).toMatchObject({
      authentication_help: '/v1/help/authentication',
      mcp: { path: '/mcp' },
      agent_startup: { guide: AGENT_GUIDE, mcp: { instructions: AGENT_GUIDE } },
    });
    // AO-003: nothing is claimed that is not known, such as the commit of a checkout that is being worked on.
    expect(info).toMatchObject({ client_compatibility: { verified_packages: [] } });
    expect(JSON.stringify(info)).not.toContain('source_commit');
  });

  it('AO-002 AO-020: the instructions of the MCP server are the same text', async () => {
    const rig = await httpRig();
    const { client } = await mcpClient(rig, rig.token(['read']));
    expect(client.getInstructions()).toBe(AGENT_GUIDE);
  });

  it('the guide names tools that there are, and is short enough to be read whole', () => {
    const tools = new Set(declaredOperations().filter(isTool).map(nameOf));
    const named = [...AGENT_GUIDE.matchAll(/\b(?:plans|runs|requests)_[a-z_]+\b/g)].map(([name]) => name);
    expect(named.length).toBeGreaterThan(4);
    for (const name of named) expect(tools, name).toContain(name);
    expect(AGENT_GUIDE.length).toBeLessThan(2_500);
  });

  it('AO-006: every example asks for an operation that there is, as it is to be asked for', () => {
    const { examples, remedies } = authenticationHelp;
    for (const { title, request } of examples) {
      const [, method = '', path = ''] = /^(GET|POST) (\S+) HTTP\/1\.1\n/.exec(request) ?? [];
      const asked = path.split('/');
      const found = declaredOperations().find(
        (each) =>
          each.method === method &&
          each.path.split('/').length === asked.length &&
          each.path.split('/').every((part, i) => part.startsWith('{') || part === asked[i]),
      );
      expect(found, title).toBeDefined();
      expect(request).toContain('Authorization: Bearer TOKEN');
      expect(request.includes('Idempotency-Key:')).toBe(found !== undefined && isKeyed(found));
      const body = request.split('\n\n')[1] ?? '';
      if (method === 'GET') continue;
      const { plan } = JSON.parse(body) as { plan?: object };
      if (plan !== undefined) expect(Plan.safeParse(plan).success).toBe(true);
    }
    for (const { code } of remedies) expect(errorCatalogue).toHaveProperty(code);
  });
});
