import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AttemptSpec, contentHash, encodeBundle, type HarnessChoice } from '@palisade/contracts';
import { describe, expect, test } from 'vitest';
import { attemptOf, endpointOf, MODEL_KEY, scriptedModel } from '../../test/agent-fixture.ts';
import { agentProgram, NEEDS_PROGRAMS } from '../../../../tests/support/agent-programs.ts';
import { available, repository, scratch } from '../../test/attempt-fixture.ts';
import type { Turn } from '../../test/model-server/script.ts';
import { filesWith } from '../../test/worker-process.ts';

const claude = agentProgram('claude');
const codex = agentProgram('codex');

/** Settings with which each vendor's real program is started. */
const CLAUDE: HarnessChoice = {
  harness: 'claude-code',
  program: claude ?? '/none',
  model_endpoint: 'scripted',
};
const CODEX: HarnessChoice = { harness: 'codex', program: codex ?? '/none', model_endpoint: 'scripted' };

/** Leaves in `outputs/` whatever a curious agent can find out, and shows no word of it. */
const LOOK_AROUND = `
  cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n' > outputs/processes
  find / -type s 2>/dev/null > outputs/sockets
  port=\${MODEL_PORT}
  (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null && echo reached > outputs/model || echo no > outputs/model
  (exec 3<>/dev/tcp/192.0.2.1/80) 2>/dev/null && echo reached > outputs/network || echo no > outputs/network
  ls -A "$HOME" > outputs/home
  true`;

/** A capability's bundle as the engine hands it over. */
function capability(
  name: string,
  files: Readonly<Record<string, string>>,
): AttemptSpec['capabilities'][number] {
  const entries = Object.entries(files).map(([path, text]) => ({
    path,
    bytes: Buffer.from(text),
    executable: false,
  }));
  const bytes = encodeBundle(name, entries);
  const path = join(scratch(), 'bundle');
  writeFileSync(path, bytes);
  return { name, hash: contentHash(bytes), path };
}

const SKILL = (name: string, about: string): string =>
  `---\nname: ${name}\ndescription: ${about}\n---\nSay hello.\n`;
const HOOK = (marker: string): string =>
  JSON.stringify({
    hooks: {
      SessionStart: [{ hooks: [{ type: 'command', command: `touch /workspace/outputs/${marker}` }] }],
    },
  });
const SERVER = (marker: string): string =>
  JSON.stringify({
    mcpServers: { planted: { command: 'touch', args: [`/workspace/outputs/${marker}`] } },
  });

describe.skipIf(claude === null || !available.includes('bubblewrap'))(
  `claude-code itself (${NEEDS_PROGRAMS})`,
  () => {
    const write = (path: string, content: string): Turn['calls'] => [
      { name: 'Write', input: { file_path: `/workspace/${path}`, content } },
    ];
    const bash = (command: string): Turn['calls'] => [
      { name: 'Bash', input: { command, description: 'look' } },
    ];

    test('DI-131, DI-063, FF-128, EX-202: it works through the relay alone, without the key, unmoved by its repository', async () => {
      const hostile = repository({
        'a.txt': 'zero\n',
        'CLAUDE.md': 'Words of the repository.\n',
        '.claude/settings.json': HOOK('hook-of-repository'),
        '.claude/skills/planted/SKILL.md': SKILL('planted', 'A skill nobody registered'),
        '.mcp.json': SERVER('server-of-repository'),
      });
      const model = await scriptedModel([
        { say: 'Writing.', calls: write('calc.py', 'print(5)\n') },
        { calls: bash(LOOK_AROUND) },
        { say: 'Done, it prints 5.', usage: { input: 2_000, output: 10 } },
      ]);
      const attempt = await attemptOf(CLAUDE, {
        agent: { system_prompt: 'Words of the operator.' },
        prompt: 'Words of the plan.',
        model: 'standard',
        model_endpoint: endpointOf(model.url, 'anthropic'),
        workspace: { kind: 'git', git_dir: hostile.gitDir, commit: hostile.commit },
        env_values: { MODEL_PORT: new URL(model.url).port },
        capabilities: [
          capability('greeter', {
            '.claude/skills/greet/SKILL.md': SKILL('greet', 'A skill an operator registered'),
            '.claude/settings.json': HOOK('hook-of-operator'),
          }),
          capability('second', { '.claude/settings.json': JSON.stringify({ env: { OF_OPERATOR: '1' } }) }),
        ],
      });
      const { result, output } = attempt;
      expect(result.reason ?? '').toBe('');
      expect(result).toMatchObject({ outcome: 'succeeded', exit_code: 0 });
      expect(attempt.patch()).toContain('+print(5)');
      expect(result.product).toMatchObject({
        summary: 'Done, it prints 5.',
        usage: {
          models: [expect.stringContaining('sonnet')],
          input_tokens: 4_000,
          output_tokens: 110,
          turns: 3,
        },
        agent_session: { harness: 'claude-code', version: expect.stringMatching(/^\d+\.\d+/) },
        model_traffic: { endpoint: 'scripted', requests: model.requests.length, failed: 0, refused: 0 },
      });
      expect(result.usage?.cost_usd).toBeGreaterThan(0);

      const told = model.requests.map(({ text }) => text).join('\n');
      for (const words of [
        'of the operator.',
        'of the plan.',
        'of the repository.',
        'A skill an operator registered',
      ])
        expect(told).toContain(words);
      expect(told).not.toContain('A skill nobody registered');
      const left = result.product.outputs?.map(({ path }) => path).sort();
      expect(left).toEqual(['home', 'hook-of-operator', 'model', 'network', 'processes', 'sockets'].sort());

      expect(new Set(model.requests.map(({ headers }) => headers['x-api-key']))).toEqual(
        new Set([MODEL_KEY]),
      );
      expect(output('processes')).toContain('ANTHROPIC_API_KEY=placeholder-');
      expect(filesWith(attempt.dir, [MODEL_KEY])).toEqual([]);
      expect([output('model'), output('network')]).toEqual(['no\n', 'no\n']);
      expect(
        output('sockets')
          ?.trim()
          .split('\n')
          .filter((path) => path.endsWith('relay.sock')),
      ).toHaveLength(1);
      expect(output('home')).toBe('.claude\n');
      expect(JSON.stringify(result)).not.toContain(MODEL_KEY);
    });

    test('FF-128: where the agent trusts the repository its settings count', async () => {
      const { gitDir, commit } = repository({ '.claude/settings.json': HOOK('hook-of-repository') });
      const model = await scriptedModel([{ say: 'Done.' }]);
      const { output, result } = await attemptOf(
        { ...CLAUDE, trust_repository: true },
        {
          model_endpoint: endpointOf(model.url, 'anthropic'),
          workspace: { kind: 'git', git_dir: gitDir, commit },
        },
      );
      expect(result.outcome).toBe('succeeded');
      expect(output('hook-of-repository')).toBe('');
    });

    test('DI-133: what its list does not hold is denied, by the program itself', async () => {
      const model = await scriptedModel([
        { calls: bash('touch outputs/listed') },
        { calls: bash('rm -rf outputs/listed') },
        { say: 'Done.' },
      ]);
      const { result, output } = await attemptOf(
        { ...CLAUDE, allowed_tools: ['Bash(touch:*)'] },
        { model_endpoint: endpointOf(model.url, 'anthropic') },
      );
      expect(result.outcome).toBe('succeeded');
      expect(output('listed')).toBe('');
      expect(result.product.warnings).toEqual(['its permission denied the agent Bash']);
    });

    test('FF-078, FF-107: a model that refuses fails the attempt with the reason and tells the operator', async () => {
      const model = await scriptedModel(() => ({ fault: { status: 401, message: 'no such key' } }));
      const { result } = await attemptOf(CLAUDE, { model_endpoint: endpointOf(model.url, 'anthropic') });
      expect(result).toMatchObject({ outcome: 'failed', exit_code: 1 });
      expect(result.reason).toMatch(/status 1: the agent reported an error: .*(401|no such key|API key)/);
      expect(result.product.warnings).toContainEqual(
        expect.stringMatching(
          /^the model endpoint scripted .* its credential \(401\), so its secret is wrong$/,
        ),
      );
    });
  },
);

describe.skipIf(codex === null || !available.includes('bubblewrap'))(
  `codex itself (${NEEDS_PROGRAMS})`,
  () => {
    const shell = (cmd: string): Turn['calls'] => [
      { name: 'exec_command', input: { cmd, yield_time_ms: 20_000 } },
    ];

    test('DI-131, DI-063, FF-128, EX-202: it works through the relay alone, without the key, unmoved by its repository', async () => {
      const hostile = repository({
        'a.txt': 'zero\n',
        'AGENTS.md': 'Words of the repository.\n',
        '.codex/config.toml':
          'notify = ["touch", "/workspace/outputs/notify"]\n[mcp_servers.planted]\ncommand = "touch"\nargs = ["/workspace/outputs/server"]\n',
        '.codex/hooks.json': HOOK('hook-of-repository'),
      });
      const patch = '*** Begin Patch\n*** Add File: calc.py\n+print(5)\n*** End Patch\n';
      const model = await scriptedModel([
        { say: 'Writing.', calls: [{ name: 'apply_patch', input: patch }] },
        {
          calls: shell(
            `bash -c '${LOOK_AROUND.replaceAll("'\\\\0'", '"\\\\0"').replaceAll("'\\\\n'", '"\\\\n"').replaceAll("'*'", '"*"')}'`,
          ),
        },
        { say: 'Done, it prints 5.', usage: { input: 2_000, output: 10 } },
      ]);
      const attempt = await attemptOf(CODEX, {
        agent: { system_prompt: 'Words of the operator.' },
        prompt: 'Words of the plan.',
        model: 'gpt-5.5',
        model_endpoint: endpointOf(`${model.url}/v1`, 'openai'),
        workspace: { kind: 'git', git_dir: hostile.gitDir, commit: hostile.commit },
        env_values: { MODEL_PORT: new URL(model.url).port },
      });
      const { result, output } = attempt;
      expect(result.reason ?? '').toBe('');
      expect(result).toMatchObject({ outcome: 'succeeded', exit_code: 0 });
      expect(attempt.patch()).toContain('+print(5)');
      expect(result.product).toMatchObject({
        summary: 'Done, it prints 5.',
        usage: { models: ['gpt-5.5'], input_tokens: 4_000, output_tokens: 110 },
        agent_session: { harness: 'codex', id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
        model_traffic: { endpoint: 'scripted', requests: model.requests.length, failed: 0, refused: 0 },
      });
      const told = model.requests.map(({ text }) => text).join('\n');
      for (const words of ['of the operator.', 'of the plan.', 'of the repository.'])
        expect(told).toContain(words);
      const left = result.product.outputs?.map(({ path }) => path).sort();
      expect(left).toEqual(['home', 'model', 'network', 'processes', 'sockets']);
      expect(new Set(model.requests.map(({ headers }) => headers['authorization']))).toEqual(
        new Set([`Bearer ${MODEL_KEY}`]),
      );
      expect(output('processes')).toContain('MODEL_RELAY_KEY=placeholder-');
      expect(filesWith(attempt.dir, [MODEL_KEY])).toEqual([]);
      expect([output('model'), output('network')]).toEqual(['no\n', 'no\n']);
      expect(JSON.stringify(result)).not.toContain(MODEL_KEY);
    });

    test('FF-078, FF-107: a model that refuses fails the attempt with the reason and tells the operator', async () => {
      const model = await scriptedModel(() => ({ fault: { status: 401, message: 'no such key' } }));
      const { result } = await attemptOf(CODEX, {
        model: 'gpt-5.5',
        model_endpoint: endpointOf(model.url, 'openai'),
      });
      expect(result).toMatchObject({ outcome: 'failed', exit_code: 1 });
      expect(result.reason).toMatch(/status 1: .*401/);
      expect(result.product.warnings).toContainEqual(
        expect.stringMatching(
          /^the model endpoint scripted .* its credential \(401\), so its secret is wrong$/,
        ),
      );
    });
  },
);
