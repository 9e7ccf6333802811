import { describe, expect, test } from 'vitest';
import { AgentInput, HarnessChoice } from './agent.ts';
import { firstModel, ModelEndpointInput, modelLevel } from './model-endpoint.ts';

const endpoint = (change: object) => ({
  name: 'house',
  kind: 'anthropic',
  url: 'https://models.example/v1',
  secret: 'secret:key',
  ...change,
});
const problemsOf = (change: object): string[] =>
  ModelEndpointInput.safeParse(endpoint(change)).error?.issues.map(({ path }) => path.join('.')) ?? [];

describe('model endpoint', () => {
  test.each([
    {},
    { url: 'http://127.0.0.1:8080' },
    { url: 'http://[::1]:8080/v1' },
    { url: 'http://localhost:11434' },
    { url: 'http://10.1.2.3' },
    { url: 'http://models.internal', private: true },
    { credential: 'subscription' },
    { default_model: 'fast', models: { fast: 'small-1', max: 'org/large:7b' } },
  ])('%j is one', (change) => {
    expect(problemsOf(change)).toEqual([]);
  });

  test.each([
    [{ url: 'http://models.example' }, 'url'],
    [{ url: 'http://93.184.216.34' }, 'url'],
    [{ url: 'https://169.254.169.254/latest' }, 'url'],
    [{ url: 'http://[::ffff:169.254.169.254]' }, 'url'],
    [{ url: 'https://user:pass@models.example' }, 'url'],
    [{ url: 'https://models.example/?key=1' }, 'url'],
    [{ url: 'https://models.example/#a' }, 'url'],
    [{ url: 'ftp://models.example' }, 'url'],
    [{ url: 'models.example' }, 'url'],
    [{ kind: 'openai', credential: 'subscription' }, 'credential'],
    [{ default_model: '--help' }, 'default_model'],
    [{ models: { fastest: 'x' } }, 'models'],
    [{ name: '../up' }, 'name'],
    [{ unknown: 1 }, ''],
  ])('%j is none, because of %j', (change, place) => {
    expect(problemsOf(change)[0]).toBe(place);
  });
});

test('DI-062: levels are reserved words, everything else is a model, and the empty string says nothing', () => {
  expect(['fast', 'standard', 'max', 'Fast', 'gpt-9', ''].map(modelLevel)).toEqual([
    'fast',
    'standard',
    'max',
    null,
    null,
    null,
  ]);
  expect(firstModel('', null, undefined, 'a', 'b')).toBe('a');
  expect(firstModel('', null)).toBe(null);
});

describe('coding agents', () => {
  const choice = (change: object) => HarnessChoice.safeParse({ harness: 'claude-code', ...change });

  test.each([
    { permission: 'yolo' },
    { permission: 'bypassPermissions' },
    { permission: 'bypass', allowed_tools: ['Bash'] },
    { allowed_tools: [] },
    { allowed_tools: ['--dangerously-skip-permissions'] },
    { allowed_tools: ['Bash(a) Write(b)'] },
    { program: 'bin/claude' },
    { max_turns: 0 },
    { model_endpoint: '../x' },
    { result_schema: { type: 'array' } },
    { result_schema: { type: 'object', description: 'x'.repeat(100_000) } },
    { api_key: 'x' },
  ])('DI-133: %j is refused, not taken for something wider', (change) => {
    expect(choice(change).success).toBe(false);
  });

  test('DI-133: what each of them may be', () => {
    for (const permission of ['bypass', 'accept-edits', 'strict', 'plan'])
      expect(choice({ permission }).success).toBe(true);
    expect(choice({ permission: 'strict', allowed_tools: ['Bash(npm test:*)', 'mcp__s__t'] }).success).toBe(
      true,
    );
    expect(HarnessChoice.safeParse({ harness: 'codex', permission: 'plan' }).success).toBe(false);
    expect(HarnessChoice.safeParse({ harness: 'codex', allowed_tools: ['Bash'] }).success).toBe(false);
    const run = { harness: 'codex', model_endpoint: 'house', program: '/opt/codex' };
    expect(AgentInput.safeParse({ name: 'a', run }).success).toBe(true);
  });
});
