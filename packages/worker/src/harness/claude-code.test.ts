import type { ClaudeCodeChoice, HarnessContext } from '@palisade/contracts';
import { describe, expect, test } from 'vitest';
import { accessTo, environmentIn, lines, programDouble, runHarness } from '../../test/agent-fixture.ts';
import { available } from '../../test/attempt-fixture.ts';
import { claudeCodeHarness } from './claude-code.ts';

const INIT = { type: 'system', subtype: 'init', session_id: 'session-1', claude_code_version: '9.9.9' };
const RESULT = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'all done',
  num_turns: 3,
  duration_ms: 1_200,
  total_cost_usd: 0.25,
  modelUsage: {
    big: { inputTokens: 100, outputTokens: 20, cacheReadInputTokens: 1_000, cacheCreationInputTokens: 10 },
    small: { inputTokens: 5, outputTokens: 1, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 },
  },
};
const GOOD = lines(INIT, RESULT);

/** Runs the harness with a program that leaves what it was given in the place of the vendor's; agents.test.ts drives the real one. */
const run = (
  settings: Omit<ClaudeCodeChoice, 'harness' | 'program'>,
  changes: Partial<Omit<HarnessContext, 'settings'>> = {},
  double: Parameters<typeof programDouble>[0] = { prints: GOOD },
) =>
  runHarness(
    claudeCodeHarness,
    { harness: 'claude-code', program: programDouble(double), ...settings },
    { modelAccess: accessTo('anthropic'), ...changes },
  );
const wordAfter = (argv: string | null, flag: string): string | undefined => {
  const words = (argv ?? '').split('\n');
  return words.includes(flag) ? words[words.indexOf(flag) + 1] : undefined;
};

describe.skipIf(!available.includes('bubblewrap'))('claude-code, started', () => {
  test('DI-131, DI-132: headless, prompt on standard input, system prompt in a file, settings its own', async () => {
    const ran = await run({}, { systemPrompt: 'Be brief, system canary.', prompt: 'The prompt canary.' });
    expect(ran.result).toEqual({
      outcome: 'exited',
      exitCode: 0,
      summary: 'all done',
      usage: {
        models: ['big', 'small'],
        input_tokens: 1_115,
        output_tokens: 21,
        cost_usd: 0.25,
        turns: 3,
        duration_ms: 1_200,
      },
      session: { harness: 'claude-code', id: 'session-1', version: '9.9.9' },
    });
    const argv = ran.output('argv') ?? '';
    expect(argv.split('\n').slice(0, 5)).toEqual([
      '-p',
      '--output-format=stream-json',
      '--verbose',
      '--input-format=text',
      '--setting-sources=user',
    ]);
    expect(argv).toContain('--strict-mcp-config');
    expect(argv).not.toContain('canary');
    expect(ran.output('stdin')).toBe('The prompt canary.');
    expect(wordAfter(argv, '--append-system-prompt-file')).toMatch(/\/\.claude\/[^/]+$/);
    expect(ran.output('files')).toContain('== ./palisade-system-prompt.md\nBe brief, system canary.');
    expect(environmentIn(ran)).toMatchObject({
      CLAUDE_CONFIG_DIR: '/workspace/.palisade/home/.claude',
      HOME: '/workspace/.palisade/home',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    });
  });

  test('DI-132: without a prompt of the item the system prompt is the prompt; without both nothing starts', async () => {
    const alone = await run({}, { systemPrompt: 'Only this.', prompt: null });
    expect(alone.output('stdin')).toBe('Only this.');
    expect(alone.output('argv')).not.toContain('--append-system-prompt');
    await expect(run({}, { prompt: null })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  test.each<[Parameters<typeof run>[0], string, string[]]>([
    [{}, '--dangerously-skip-permissions', []],
    [
      { permission: 'accept-edits', allowed_tools: ['Bash(npm test:*)'] },
      'acceptEdits',
      ['Bash(npm test:*)'],
    ],
    [{ allowed_tools: ['Read', 'Bash(git log:*)'] }, 'dontAsk', ['Read', 'Bash(git log:*)']],
    [{ permission: 'strict' }, 'dontAsk', []],
    [{ permission: 'plan' }, 'plan', []],
  ])('DI-133: the permission of %j', async (settings, word, allowed) => {
    const ran = await run(settings);
    const words = (ran.output('argv') ?? '').split('\n');
    expect(words).toContain(word);
    expect(words.includes('--dangerously-skip-permissions')).toBe(word === '--dangerously-skip-permissions');
    expect(ran.output('files')).toContain(JSON.stringify({ permissions: { allow: allowed } }));
  });

  test.each([
    [null, {}, undefined],
    ['fast', {}, 'haiku'],
    ['standard', {}, 'sonnet'],
    ['max', {}, 'opus'],
    ['max', { max: 'house-large' }, 'opus'],
    ['some-model-4', {}, 'some-model-4'],
  ] as const)('DI-062, DI-134: model %j with the levels %j is called %j', async (model, models, expected) => {
    const settings = { max_turns: 7, max_cost_usd: 1.5 };
    const ran = await run(settings, { model, modelAccess: accessTo('anthropic', { models }) });
    const argv = ran.output('argv');
    expect(wordAfter(argv, '--model')).toBe(expected);
    expect([wordAfter(argv, '--max-turns'), wordAfter(argv, '--max-budget-usd')]).toEqual(['7', '1.5']);
    expect(environmentIn(ran)['ANTHROPIC_DEFAULT_OPUS_MODEL']).toBe('max' in models ? models.max : undefined);
  });

  test('DI-063: with an endpoint the placeholder is the only credential, and the relay the only place', async () => {
    const env = {
      ANTHROPIC_BASE_URL: 'http://elsewhere.example',
      CLAUDE_CODE_USE_BEDROCK: '1',
      ANTHROPIC_AUTH_TOKEN: 'another-credential',
      CLAUDE_CODE_OAUTH_TOKEN: 'a-third-credential',
    };
    const keyed = environmentIn(await run({}, { env }));
    expect(keyed['ANTHROPIC_API_KEY']).toBe('placeholder-of-a-test');
    expect(keyed['ANTHROPIC_BASE_URL']).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const others = ['ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CODE_USE_BEDROCK'];
    expect(others.filter((name) => name in keyed)).toEqual([]);
    const access = accessTo('anthropic', { credential: 'subscription' });
    const subscribed = environmentIn(await run({}, { env, modelAccess: access }));
    expect(subscribed['CLAUDE_CODE_OAUTH_TOKEN']).toBe('placeholder-of-a-test');
    expect(['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'].filter((name) => name in subscribed)).toEqual([]);
  });

  const both = { CLAUDE_CODE_OAUTH_TOKEN: 'the token', ANTHROPIC_API_KEY: 'the key' };
  test.each([
    [undefined, both, 'CLAUDE_CODE_OAUTH_TOKEN'],
    ['api-key', both, 'ANTHROPIC_API_KEY'],
    ['subscription', both, 'CLAUDE_CODE_OAUTH_TOKEN'],
    [undefined, { ...both, CLAUDE_CODE_OAUTH_TOKEN: '' }, 'ANTHROPIC_API_KEY'],
    ['subscription', { ANTHROPIC_API_KEY: 'the key' }, null],
    [undefined, {}, null],
    [undefined, { ...both, CLAUDE_CODE_USE_VERTEX: '1' }, 'CLAUDE_CODE_USE_VERTEX'],
  ] as const)('DI-063: without an endpoint auth %s of %j leaves exactly %s', async (auth, env, expected) => {
    const ran = await run(auth === undefined ? {} : { auth }, { modelAccess: null, env: { ...env } });
    if (expected === null) {
      expect(ran.result).toMatchObject({ outcome: 'start_failed', exitCode: null });
      expect(ran.result.detail).toMatch(/no credential.*model_endpoint/);
      expect(ran.output('argv')).toBe(null);
      return;
    }
    const given = environmentIn(ran);
    const names = ['CLAUDE_CODE_OAUTH_TOKEN', 'ANTHROPIC_API_KEY', 'CLAUDE_CODE_USE_VERTEX'];
    expect(names.filter((name) => name in given)).toEqual([expected]);
  });

  test('FF-128: configuration of a repository counts only where the agent says so', async () => {
    const distrusted = await run({});
    expect(distrusted.output('files')).toContain('== ./rules/repository.md\n@/workspace/CLAUDE.md');
    const trusted = await run({ trust_repository: true });
    expect(trusted.output('argv')).toContain('--setting-sources=user,project\n');
    expect(trusted.output('argv')).not.toContain('--strict-mcp-config');
    expect(trusted.output('files')).not.toContain('repository.md');
  });

  test('a structured answer is asked for by its schema and given back', async () => {
    const schema = { type: 'object' as const, properties: { ok: { type: 'boolean' } } };
    const prints = lines(INIT, { ...RESULT, structured_output: { ok: true } });
    const ran = await run({ result_schema: schema }, {}, { prints });
    expect(wordAfter(ran.output('argv'), '--json-schema')).toBe(JSON.stringify(schema));
    expect(ran.result.structured).toEqual({ ok: true });
  });
});

describe.skipIf(!available.includes('bubblewrap'))('claude-code, read', () => {
  const read = (prints: string | Buffer, status = 0) => run({}, {}, { prints, status });

  test('what the agent says and does is shown, subagents and failures told apart', async () => {
    const said = (content: object[], more = {}) => ({ type: 'assistant', message: { content }, ...more });
    const { events } = await read(
      lines(
        INIT,
        said([{ type: 'text', text: 'Looking.' }]),
        said([
          { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm\n  test', description: 'x' } },
        ]),
        {
          type: 'user',
          message: {
            content: [{ type: 'tool_result', tool_use_id: 't1', is_error: true, content: 'exit 1' }],
          },
        },
        said([{ type: 'text', text: 'of a subagent' }], { parent_tool_use_id: 't0' }),
        { type: 'system', subtype: 'something_new', payload: 1 },
        { type: 'system', subtype: 'api_retry', attempt: 2, max_retries: 10, error_status: 529 },
        { type: 'never_heard_of' },
        RESULT,
      ),
    );
    expect(events).toEqual([
      { kind: 'message', text: 'Looking.' },
      { kind: 'tool', name: 'Bash', title: 'npm test' },
      { kind: 'tool', name: 'Bash', title: 'failed: exit 1' },
      { kind: 'message', text: 'the model answered 529; try 2 of 10 to reach it again' },
    ]);
  });

  test.each([
    ['nothing at all', '', 0, null, 'its output ends before it told its result'],
    ['a cut stream', lines(INIT), 0, null, 'its output ends before it told its result'],
    [
      'an error by its own word',
      lines(INIT, { ...RESULT, subtype: 'error_max_turns', errors: ['Reached 7'] }),
      0,
      null,
      'error max turns: Reached 7',
    ],
    [
      'an error of the model',
      lines(INIT, { ...RESULT, is_error: true, result: 'API Error: 400 no' }),
      1,
      1,
      'the agent reported an error: API Error: 400 no',
    ],
    ['a failing status', GOOD, 4, 4, undefined],
  ] as const)('FF-078, FF-122: %s is no success', async (_what, prints, status, exitCode, detail) => {
    const { result } = await read(prints, status);
    expect(result).toMatchObject({ outcome: 'exited', exitCode });
    expect(result.detail).toBe(detail);
  });

  test('FF-072, FF-074: broken, foreign, huge and half lines are survived, shown and told', async () => {
    const huge = '漢😀'.repeat(700_000);
    const bytes = Buffer.concat([
      Buffer.from('plain words\n{"type":"assistant","message":\n[1,2]\nnull\n"text"\n'),
      Buffer.from([0xff, 0xfe, 0x00, 0x0a]),
      Buffer.from(lines(INIT, { type: 'assistant', message: { content: [{ type: 'text', text: huge }] } })),
      Buffer.from(
        '{"type":"result","subtype":"success","is_error":false,"result":"half \\ud83d","num_turns":-4,"modelUsage":{"m":{"inputTokens":"many"}},"total_cost_usd":"free"}',
      ),
    ]);
    const { result, events } = await read(bytes);
    expect(result).toMatchObject({ outcome: 'exited', exitCode: 0, summary: 'half \ud83d' });
    expect(result.warnings).toEqual(["3 lines of the agent's output could not be read"]);
    expect(result.usage).toEqual({ models: ['m'] });
    expect(events).toContainEqual({ kind: 'message', text: huge });
    const shown = events.flatMap((event) =>
      event.kind === 'output' ? [Buffer.from(event.bytes).toString('latin1')] : [],
    );
    expect(shown).toEqual(['plain words\n', '{"type":"assistant","message":\n', '\xff\xfe\0\n']);
  });

  test('DI-133: what its permission denied the agent is a warning', async () => {
    const denials = [{ tool_name: 'Bash' }, { tool_name: 'Bash' }, { tool_name: 'WebFetch' }];
    const { result } = await read(lines(INIT, { ...RESULT, permission_denials: denials }));
    expect(result.warnings).toEqual(['its permission denied the agent Bash, WebFetch']);
  });
});
