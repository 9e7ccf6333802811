import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EvidenceBundle, type ItemView, Manifest } from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import type { ModelRequest, Turn } from '../../packages/worker/test/model-server/script.ts';
import { agentInstallation, canRun } from '../support/agent-installation.ts';
import { NEEDS_PROGRAMS } from '../support/agent-programs.ts';
import { formsIn, textOfPostgres } from '../support/canary-forms.ts';
import { attemptsOf, git, until } from '../support/installation.ts';
import { eachInstallationDatabase } from '../support/installation-database.ts';
import { planFile } from '../support/plan-file.ts';
import { processTable } from '../support/processes.ts';

/** Claude Code writes a function with a fault, Codex, which is given its patch, mends it. */
function play(request: ModelRequest): Turn {
  if (request.tools.length === 0) return { say: 'a title' };
  const isCodex = request.path.endsWith('/responses');
  const patch =
    '*** Begin Patch\n*** Update File: calc.py\n@@\n-    return a - b\n+    return a + b\n*** End Patch\n';
  const write = { file_path: '/workspace/calc.py', content: 'def add(a, b):\n    return a - b\n' };
  const turns: readonly Turn[] = isCodex
    ? [{ say: 'A fault.', calls: [{ name: 'apply_patch', input: patch }] }, { say: 'Mended.' }]
    : [{ say: 'Writing.', calls: [{ name: 'Write', input: write }] }, { say: 'Written.' }];
  return turns[Math.min(request.results, 1)] ?? {};
}

describe.skipIf(!canRun('claude', 'codex'))(`coding agents (${NEEDS_PROGRAMS})`, () => {
  eachInstallationDatabase('a plan of coding agents', (makeDatabase) => {
    it('DI-063, DI-131, EX-202, FF-173: gives patches, usage, cost and evidence, and the key is nowhere', {
      timeout: 240_000,
    }, async () => {
      const { env } = await makeDatabase();
      const { root, model, key, forms, cli, printed, leaks } = await agentInstallation(play, env);
      const register = ['agent', 'register', 'mender', '--harness', 'codex', '--model-endpoint', 'responses'];
      expect(await cli(...register, '--model', 'gpt-5.5')).toMatchObject({ code: 0 });
      const plan = planFile(root, {
        items: [
          {
            id: 'write',
            run: { harness: 'claude-code', model_endpoint: 'messages' },
            model: 'fast',
            prompt: 'Write calc.py with a function that adds.',
          },
          {
            id: 'mend',
            agent: 'mender',
            prompt: 'Mend calc.py.',
            needs: { work: { from: 'write', select: { kind: 'patch' }, apply: true } },
            verify: { command: 'grep -q "a + b" calc.py' },
          },
        ],
      });
      const run = cli('run', plan, '--run-id', 'agents', '--sandbox', 'bubblewrap');
      let agents = 0;
      const end = run.then(() => true);
      while (!(await Promise.race([end, new Promise<false>((r) => setTimeout(() => r(false), 250))]))) {
        for (const entry of processTable()) {
          expect(formsIn(entry.command, forms), entry.command).toEqual([]);
          expect(formsIn(entry.environment, forms), entry.command).toEqual([]);
          if (entry.environment.includes('placeholder-')) agents++;
        }
      }
      expect(agents).toBeGreaterThan(0);
      const done = await run;
      expect(done.code, done.stdout + done.stderr).toBe(0);

      const shown = JSON.parse((await cli('show', 'agents', '--json')).stdout) as {
        run: { cost_usd: number };
        items: readonly ItemView[];
      };
      const [write, mend] = shown.items;
      expect(write?.product).toMatchObject({
        patch: { files: 1, added: 2, deleted: 0 },
        summary: 'Written.',
        usage: {
          models: [expect.stringContaining('haiku')],
          input_tokens: 2_000,
          output_tokens: 100,
          turns: 2,
        },
        agent_session: { harness: 'claude-code' },
        model_traffic: { endpoint: 'messages', failed: 0, refused: 0 },
      });
      expect(mend?.product).toMatchObject({
        patch: { files: 1, added: 1, deleted: 1 },
        summary: 'Mended.',
        usage: { models: ['gpt-5.5'], input_tokens: 2_000, output_tokens: 100 },
        verify: { passed: true },
        model_traffic: { endpoint: 'responses', failed: 0, refused: 0 },
      });
      // Codex tells no cost: what is unknown is no part of the sum, and is not taken for nothing.
      expect(mend?.product?.usage?.cost_usd).toBeUndefined();
      expect(shown.run.cost_usd).toBe(write?.product?.usage?.cost_usd);
      expect(shown.run.cost_usd).toBeGreaterThan(0);
      const credentials = model.requests.map(
        ({ headers }) => headers['x-api-key'] ?? headers['authorization'],
      );
      expect(new Set(credentials)).toEqual(new Set([key, `Bearer ${key}`]));

      for (const command of [
        'logs agents/write',
        'logs agents/mend --json',
        'events agents --json',
        'explain agents/mend',
      ])
        await cli(...command.split(' '));
      await cli('diff', 'agents', '--raw');
      await cli('model-endpoint', 'show', 'messages', '--json');
      expect((await cli('verify', 'agents', '--json')).code).toBe(0);
      expect((await cli('evidence', 'export', 'agents', '-o', '.palisade/bundle.json')).code).toBe(0);
      const bundle = EvidenceBundle.parse(
        JSON.parse(readFileSync(join(root, '.palisade/bundle.json'), 'utf8')),
      );
      const manifests = bundle.manifests.map((each) => Manifest.parse(each));
      expect(
        manifests.map(({ model_endpoint: to }) => [to?.name, to?.definition.kind, to?.definition.url]),
      ).toEqual([
        ['messages', 'anthropic', model.url],
        ['responses', 'openai', `${model.url}/v1`],
      ]);

      expect((await cli('apply', 'agents')).code).toBe(0);
      expect(readFileSync(join(root, 'calc.py'), 'utf8')).toBe('def add(a, b):\n    return a + b\n');

      for (const text of printed) expect(formsIn(text, forms), text.slice(0, 2_000)).toEqual([]);
      await until('the attempts to be removed', async () => attemptsOf(root).length === 0);
      expect(leaks()).toEqual([]);
      const objects = git(root, 'cat-file', '--batch-all-objects', '--batch', '--unordered');
      expect(formsIn(objects, forms)).toEqual([]);
      const url = env['PALISADE_DATABASE_URL'];
      if (url !== undefined) expect(formsIn(await textOfPostgres(url), forms)).toEqual([]);
    });
  });
});
