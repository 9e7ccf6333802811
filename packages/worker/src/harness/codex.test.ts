import type { CodexChoice, HarnessContext } from '@palisade/contracts';
import { describe, expect, test } from 'vitest';
import { accessTo, environmentIn, lines, programDouble, runHarness } from '../../test/agent-fixture.ts';
import { available } from '../../test/attempt-fixture.ts';
import { codexHarness } from './codex.ts';

const THREAD = { type: 'thread.started', thread_id: 'thread-1' };
const SAID = (text: string) => ({ type: 'item.completed', item: { id: 'i', type: 'agent_message', text } });
const END = {
  type: 'turn.completed',
  usage: { input_tokens: 900, cached_input_tokens: 300, output_tokens: 70, reasoning_output_tokens: 20 },
};
const GOOD = lines(THREAD, { type: 'turn.started' }, SAID('First.'), SAID('all done'), END);

/** Runs the harness with a program that leaves what it was given in the place of the vendor's; agents.test.ts drives the real one. */
const run = (
  settings: Omit<CodexChoice, 'harness' | 'program'>,
  changes: Partial<Omit<HarnessContext, 'settings'>> = {},
  double: Parameters<typeof programDouble>[0] = { prints: GOOD },
) =>
  runHarness(
    codexHarness,
    { harness: 'codex', program: programDouble(double), ...settings },
    { modelAccess: accessTo('openai'), ...changes },
  );

describe.skipIf(!available.includes('bubblewrap'))('codex, started', () => {
  test('DI-131, DI-132: headless, system prompt and prompt on standard input, the relay its only provider', async () => {
    const ran = await run({}, { systemPrompt: 'System canary.', prompt: 'Prompt canary.', model: 'gpt-9' });
    expect(ran.result).toEqual({
      outcome: 'exited',
      exitCode: 0,
      summary: 'all done',
      usage: { models: ['gpt-9'], input_tokens: 900, output_tokens: 70, turns: 2 },
      session: { harness: 'codex', id: 'thread-1' },
    });
    const argv = (ran.output('argv') ?? '').trimEnd().split('\n');
    expect(argv.slice(0, 2)).toEqual(['exec', '--json']);
    expect(argv.at(-1)).toBe('-');
    expect(argv).toEqual(expect.arrayContaining(['--dangerously-bypass-approvals-and-sandbox', 'gpt-9']));
    expect(argv.join(' ')).not.toContain('canary');
    expect(argv).not.toContain('--trust');
    expect(argv.find((word) => word.startsWith('model_providers.relay.base_url='))).toMatch(
      /="http:\/\/127\.0\.0\.1:\d+\/v1"$/,
    );
    expect(argv).toContain('model_provider="relay"');
    expect(ran.output('stdin')).toBe('System canary.\n\nPrompt canary.');
    expect(environmentIn(ran)['CODEX_HOME']).toBe('/workspace/.palisade/home/.codex');
  });

  test.each([
    ['fast', {}, ['-c', 'model_reasoning_effort="low"']],
    ['standard', {}, ['-c', 'model_reasoning_effort="medium"']],
    ['max', {}, ['-c', 'model_reasoning_effort="high"']],
    ['fast', { fast: 'house-small' }, ['--model', 'house-small']],
    ['some-model-4', {}, ['--model', 'some-model-4']],
    [null, {}, []],
  ])('DI-062, DI-134: model %j with the levels %j gives %j', async (model, models, words) => {
    const ran = await run({}, { model, modelAccess: accessTo('openai', { models }) });
    const argv = (ran.output('argv') ?? '').split('\n');
    const about = argv.filter(
      (word, i) =>
        [word, argv[i + 1] ?? ''].some((each) => each.startsWith('model_reasoning')) ||
        word === '--model' ||
        argv[i - 1] === '--model',
    );
    expect(about).toEqual(words);
    const name = words[0] === '--model' ? words.slice(1) : undefined;
    expect(ran.result.usage?.models).toEqual(name);
  });

  test.each(['accept-edits', 'strict'] as const)(
    'DI-133: the permission %s is refused where Codex could not enforce it',
    async (permission) => {
      const ran = await run({ permission });
      expect(ran.result).toMatchObject({ outcome: 'start_failed', exitCode: null });
      expect(ran.result.detail).toContain('use bypass');
      expect(ran.output('argv')).toBe(null);
    },
  );

  test('DI-063: exactly one credential is there, and none is no start', async () => {
    const env = {
      CODEX_API_KEY: 'first',
      OPENAI_API_KEY: 'second',
      OPENAI_BASE_URL: 'http://elsewhere.example',
    };
    const keys = (given: Record<string, string>) =>
      Object.entries(given).filter(([name]) => /KEY|TOKEN|BASE_URL/.test(name));
    expect(keys(environmentIn(await run({}, { env })))).toEqual([
      ['MODEL_RELAY_KEY', 'placeholder-of-a-test'],
    ]);
    const own = environmentIn(await run({}, { env, modelAccess: null }));
    expect(keys(own).sort()).toEqual([
      ['CODEX_API_KEY', 'first'],
      ['OPENAI_BASE_URL', 'http://elsewhere.example'],
    ]);
    const { result } = await run({}, { modelAccess: null });
    expect(result).toMatchObject({ outcome: 'start_failed' });
    expect(result.detail).toMatch(/no credential.*model_endpoint/);
  });

  test('FF-128: a repository is trusted only where the agent says so', async () => {
    expect((await run({ trust_repository: true })).output('argv')).toContain('--trust');
  });

  test('a structured answer is asked for by its schema and given back', async () => {
    const schema = { type: 'object' as const, properties: { ok: { type: 'boolean' } } };
    const ran = await run({ result_schema: schema }, {}, { prints: lines(THREAD, SAID('{"ok":true}'), END) });
    expect(ran.output('argv')).toContain('--output-schema\n');
    expect(ran.output('files')).toContain(JSON.stringify(schema));
    expect(ran.result.structured).toEqual({ ok: true });
  });
});

describe.skipIf(!available.includes('bubblewrap'))('codex, read', () => {
  const read = (prints: string | Buffer, status = 0) => run({}, {}, { prints, status });

  test('what the agent says and does is shown, and what it complains of is a warning', async () => {
    const item = (type: 'item.started' | 'item.completed', more: object) => ({
      type,
      item: { id: 'i', ...more },
    });
    const command = {
      type: 'command_execution',
      command: "bash -lc 'npm test'",
      aggregated_output: 'boom\n',
    };
    const { events, result } = await read(
      lines(
        THREAD,
        item('item.completed', { type: 'error', message: 'metadata not found' }),
        item('item.started', { ...command, exit_code: null }),
        item('item.completed', { ...command, exit_code: 2 }),
        item('item.completed', { type: 'reasoning', text: 'thoughts' }),
        item('item.completed', {
          type: 'file_change',
          changes: [{ path: '/workspace/a', kind: 'add' }],
          status: 'completed',
        }),
        item('item.started', {
          type: 'mcp_tool_call',
          server: 's',
          tool: 't',
          arguments: { query: 'where' },
        }),
        { type: 'never_heard_of' },
        SAID('all done'),
        END,
      ),
    );
    expect(events).toEqual([
      { kind: 'tool', name: 'shell', title: "bash -lc 'npm test'" },
      { kind: 'tool', name: 'shell', title: 'failed with 2: boom' },
      { kind: 'tool', name: 'patch', title: 'add /workspace/a' },
      { kind: 'tool', name: 'mcp_tool_call', title: 's t where' },
      { kind: 'message', text: 'all done' },
    ]);
    expect(result.warnings).toEqual(['metadata not found']);
  });

  test.each([
    ['nothing at all', '', 0, null, 'its output ends before it told its result'],
    ['a cut stream', lines(THREAD, SAID('half')), 0, null, 'its output ends before it told its result'],
    [
      'a failed turn',
      lines(
        THREAD,
        { type: 'error', message: 'Reconnecting... 1/5' },
        { type: 'turn.failed', error: { message: 'unexpected status 401' } },
      ),
      1,
      1,
      'unexpected status 401',
    ],
    ['a failing status', GOOD, 4, 4, undefined],
  ] as const)('FF-078, FF-122: %s is no success', async (_what, prints, status, exitCode, detail) => {
    const { result } = await read(prints, status);
    expect(result).toMatchObject({ outcome: 'exited', exitCode });
    expect(result.detail).toBe(detail);
  });

  test('FF-072, FF-074: broken, foreign and huge lines are survived, shown and told', async () => {
    const huge = '漢😀'.repeat(700_000);
    const bytes = Buffer.concat([
      Buffer.from('plain words\n{"type":"item.completed"\n[]\n{"type":"item.completed","item":7}\n'),
      Buffer.from(lines(THREAD, SAID(huge), { type: 'turn.completed', usage: { input_tokens: 'many' } })),
    ]);
    const { result, events } = await read(bytes);
    expect(result).toMatchObject({ outcome: 'exited', exitCode: 0, summary: huge, usage: { turns: 1 } });
    expect(result.usage).toEqual({ turns: 1 });
    expect(result.warnings).toEqual(["2 lines of the agent's output could not be read"]);
    expect(events.at(-1)).toEqual({ kind: 'message', text: huge });
  });
});
