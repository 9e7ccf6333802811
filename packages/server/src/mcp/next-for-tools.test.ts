import { declaredOperations, nameOf } from '@palisade/contracts';
import { expect, it, onTestFinished } from 'vitest';
import { httpRig } from '../../test/http-rig.ts';
import { mcpClient } from '../../test/mcp-rig.ts';
import { nextForTools, TOOL_OF_COMMAND } from './next-for-tools.ts';
import { isTool } from './tools.ts';

it('AO-129: a next step names tools that there are, and leaves to people what no tool does', () => {
  const tools = new Set(declaredOperations().filter(isTool).map(nameOf));
  for (const [command, tool] of Object.entries(TOOL_OF_COMMAND)) {
    expect(tools, command).toContain(tool);
    expect(nextForTools(`palisade ${command} x9`)).toBe(`${tool} x9`);
  }
  expect(nextForTools('palisade show r')).toBe('runs_get r');
  for (const next of [
    'palisade queue set q --concurrency 2',
    'pal project restore k --reason WHY',
    'pal init',
  ])
    expect(nextForTools(next)).toBe(next);
});

it('AO-129: what is refused over MCP names the tool that helps, and an unknown tool how they are listed', async () => {
  const rig = await httpRig();
  onTestFinished(() => rig.close());
  const { call } = await mcpClient(rig, rig.token(['read', 'write']));
  const key = { idempotency_key: 'k1' };
  const invalid = await call('plans_submit', { plan: { items: [{ id: 'a', comand: 'true' }] }, ...key });
  expect(invalid.text['next']).toContain('plans_validate');
  expect(JSON.stringify(invalid.text['issues'])).toContain('did you mean \\"command\\"?');
  const absent = await call('runs_list', { project: 'absent' });
  expect(absent.text['next']).toMatch(/^choose one of projects_list: give its key as project;/);
  const [unknown] = await Promise.allSettled([call('runs_gett')]);
  expect(String((unknown as PromiseRejectedResult).reason)).toMatch(/no such tool.*tools\/list.*runs_get/);
});
