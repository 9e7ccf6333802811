import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { canRun } from '../support/agent-installation.ts';
import { agentProgram, NEEDS_PROGRAMS } from '../support/agent-programs.ts';
import { palisade } from '../support/installation.ts';
import { place } from '../support/place.ts';
import { served } from '../support/served.ts';

const run = promisify(execFile);

/** A project with the credential of an agent, its token in a file. */
async function project() {
  const { root, home } = place();
  await palisade(root, ['init'], { HOME: home });
  const issued = await palisade(root, ['principal', 'create', 'helper', '--json'], { HOME: home });
  const { token } = JSON.parse(issued.stdout) as { token: string };
  const tokenFile = join(home, 'token');
  writeFileSync(tokenFile, token, { mode: 0o600 });
  return { root, home, token, tokenFile };
}

describe.skipIf(!canRun('mcp-inspector', 'claude'))(`clients of others (${NEEDS_PROGRAMS})`, () => {
  it('AC-002: the inspector of the protocol lists the tools, calls one that changes and one that reads', {
    timeout: 120_000,
  }, async () => {
    const { root, home, token } = await project();
    const { url } = await served(root, { HOME: home });
    const inspect = async (...args: string[]): Promise<Record<string, unknown>> => {
      const given = [
        '--cli',
        `${url}/mcp`,
        '--transport',
        'http',
        '--header',
        `Authorization: Bearer ${token}`,
      ];
      const program = agentProgram('mcp-inspector') ?? '';
      // It takes a package.json beside the working directory for its own.
      const { stdout } = await run(process.execPath, [program, ...given, ...args], { cwd: '/' });
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    const { tools } = (await inspect('--method', 'tools/list')) as {
      tools: { name: string; outputSchema?: object; annotations?: { readOnlyHint?: boolean } }[];
    };
    expect(tools.length).toBeGreaterThan(20);
    for (const tool of tools) expect(tool.outputSchema, tool.name).toBeTypeOf('object');
    const call = (name: string, input: Record<string, string>) =>
      inspect(
        '--method',
        'tools/call',
        '--tool-name',
        name,
        ...Object.entries(input).flatMap(([key, value]) => ['--tool-arg', `${key}=${value}`]),
      );
    const plan = JSON.stringify({ items: [{ id: 'a', command: 'true' }] });
    expect(await call('plans_submit', { plan, run_id: 'seen', idempotency_key: 'one' })).toMatchObject({
      structuredContent: { run_id: 'seen', created: true },
    });
    expect(await call('runs_get', { run: 'seen' })).toMatchObject({
      structuredContent: { run: { id: 'seen', actor: 'agent:helper' } },
    });
  });

  it('AC-002, AO-009: Claude Code, with what mcp install wrote, starts a run and looks at it', {
    timeout: 240_000,
  }, async () => {
    const { root, home, token, tokenFile } = await project();
    const alone = ['--dev-bind', '/', '/', '--unshare-net', '--die-with-parent'];
    const script = join(import.meta.dirname, '../support/alone-with-claude.ts');
    const { stdout } = await run(
      'bwrap',
      [...alone, process.execPath, script, agentProgram('claude') ?? '', root, tokenFile],
      {
        env: { ...process.env, HOME: home },
        maxBuffer: 64 * 1024 * 1024,
      },
    );
    const { said, told } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as {
      said: string;
      told: readonly string[];
    };
    expect(JSON.parse(said)).toMatchObject({ is_error: false, result: 'Started and seen.' });
    expect(told.at(-1)?.includes('from-claude')).toBe(true);
    expect(told.at(-1)?.includes('agent:helper')).toBe(true);
    for (const text of told) expect(text.includes(token)).toBe(false);
    const shown = await palisade(root, ['show', 'from-claude', '--json'], { HOME: home });
    expect(JSON.parse(shown.stdout)).toMatchObject({ run: { id: 'from-claude', actor: 'agent:helper' } });
  });
});
