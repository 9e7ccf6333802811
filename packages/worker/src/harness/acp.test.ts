import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { AcpChoice, type HarnessContext } from '@palisade/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessTo, type HarnessRun, runHarness } from '../../test/agent-fixture.ts';
import { available } from '../../test/attempt-fixture.ts';
import { acpHarness } from './acp.ts';

const DOUBLE = resolve(import.meta.dirname, '../../test/acp-double.mjs');
const MODULES = resolve(import.meta.dirname, '../../../../node_modules');

/** The double among the packages it needs, as an installed program lies. */
let place = '';
let program = '';
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'palisade-acp-'));
  chmodSync(place, 0o755);
  const modules = join(place, 'node_modules');
  mkdirSync(join(modules, 'acp-double'), { recursive: true });
  for (const name of ['@agentclientprotocol/sdk', 'zod'])
    cpSync(join(MODULES, name), join(modules, name), {
      recursive: true,
      filter: (path) => !/\.(?:map|ts|cts|cjs)$/.test(path),
    });
  program = join(modules, 'acp-double/agent.mjs');
  cpSync(DOUBLE, program);
  chmodSync(program, 0o755);
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Runs an agent that does what `does` says. */
const run = (
  does: object,
  settings: Partial<AcpChoice> = {},
  changes: Partial<Omit<HarnessContext, 'settings'>> = {},
): Promise<HarnessRun> =>
  runHarness(acpHarness, { harness: 'acp', program, args: [JSON.stringify(does)], ...settings }, changes);
const given = (ran: HarnessRun): Record<string, unknown>[] =>
  (ran.output('given') ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe.skipIf(!available.includes('bubblewrap'))('an agent that speaks the Agent Client Protocol', () => {
  test('is given the task and a place to work, and no server, file system or terminal of a client', async () => {
    const tool = { toolCallId: 'call-1', title: 'Reading a.txt', kind: 'read', status: 'completed' };
    const ran = await run(
      { steps: [{ say: 'First words.' }, { tool }, { say: 'All is done.' }] },
      {},
      { systemPrompt: 'Operator words.', prompt: 'Task words.', model: 'some-model' },
    );
    expect(ran.result).toEqual({
      outcome: 'exited',
      exitCode: 0,
      summary: 'All is done.',
      usage: { models: ['some-model'], turns: 2 },
      session: { harness: 'acp', id: 'session-1', version: '9.9.9' },
    });
    expect(ran.events).toEqual([
      { kind: 'message', text: 'First words.' },
      { kind: 'tool', name: 'read', title: 'Reading a.txt' },
      { kind: 'message', text: 'All is done.' },
    ]);
    const [hello, session, asked] = given(ran);
    expect(hello?.['capabilities']).toMatchObject({
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
    });
    expect(session).toMatchObject({ cwd: '/workspace', servers: [] });
    expect(asked?.['prompt']).toEqual([{ type: 'text', text: 'Operator words.\n\nTask words.' }]);
  });

  test.each([
    ['bypass', 'execute', ['reject_once', 'allow_always', 'allow_once'], 'id-allow_once'],
    ['bypass', 'execute', ['reject_once', 'allow_always'], 'id-allow_always'],
    ['accept-edits', 'edit', ['allow_once', 'reject_once'], 'id-allow_once'],
    ['accept-edits', 'execute', ['allow_once', 'reject_once'], 'id-reject_once'],
    ['strict', 'read', ['allow_once', 'reject_always'], 'id-reject_always'],
    ['strict', 'read', ['allow_once'], null],
  ] as const)(
    'DI-133: with permission %s, asking to %s with %j is answered %j',
    async (permission, kind, offers, chosen) => {
      const ran = await run({ steps: [{ ask: { kind, offers } }] }, { permission });
      expect(given(ran).at(-1)).toEqual(
        chosen === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: chosen },
      );
      const isDenied = chosen?.includes('allow') !== true;
      expect(ran.result.warnings ?? []).toEqual(
        isDenied ? [`its permission denied the agent tools of the kind ${kind}`] : [],
      );
    },
  );

  test.each([
    ['it stopped early', { stop: 'refusal' }, {}, /stopped early: refusal/],
    ['its version is another', { version: 2 }, {}, /speaks version 2/],
    ['it has not the mode that was asked for', { modes: ['a'] }, { mode: 'careful' }, /no mode careful/],
    ['it refuses a session', { refuses: 'log in first' }, {}, /error/i],
    ['it ends before its answer', { steps: [{ exit: 0 }] }, {}, /ended with status 0/],
    ['it is no agent', {}, { program: '/bin/true' }, /ended with status 0/],
  ])('FF-122: fails with the reason when %s', async (_when, does, settings, reason) => {
    const { result } = await run(does, settings);
    expect([result.outcome, result.exitCode]).toEqual(['exited', 1]);
    expect(result.detail).toMatch(reason);
  });

  test('works in the mode its operator chose', async () => {
    const ran = await run({ modes: ['quick', 'careful'] }, { mode: 'careful' });
    expect(given(ran)).toContainEqual({ mode: 'careful' });
  });

  test('DI-062, DI-063: learns of its model by the variables its operator named, and only from a model endpoint', async () => {
    const modelAccess = accessTo('openai', { models: { fast: 'house-small' } });
    const model_env = { TOLD: '{{model_url}}/v1 {{model_key}} {{model}}' };
    const ran = await run({}, { model_env }, { modelAccess, model: 'fast' });
    expect(given(ran)[1]?.['environment']).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/v1 placeholder-of-a-test house-small$/,
    );
    for (const [changes, detail] of [
      [{}, 'give the agent a model_endpoint'],
      [{ modelAccess }, 'none was asked for'],
      [{ modelAccess, model: 'max' }, '--model max=MODEL'],
    ] as const) {
      const { result } = await run({}, { model_env }, changes);
      expect(result.outcome).toBe('start_failed');
      expect(result.detail).toContain(detail);
    }
    const args = ['--key', '{{model_key}}'];
    expect(AcpChoice.safeParse({ harness: 'acp', program: '/a', args }).success).toBe(false);
  });

  test('FF-072, FF-074: what it prints besides messages is shown, and no update can break the reader', async () => {
    const update = {
      sessionUpdate: 'usage_update',
      used: 5,
      size: 10,
      cost: { amount: 0.25, currency: 'USD' },
    };
    const ran = await run({
      steps: [
        { print: 'bare words' },
        { print: '{"half":' },
        { print: '[1]' },
        {
          print:
            '{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"tool_call"}}}',
        },
        { print: '{"jsonrpc":"2.0","method":"session/update"}' },
        { print: '{"jsonrpc":"2.0","id":77,"result":null}' },
        { update },
        { say: '漢字 😀 done' },
      ],
    });
    expect(ran.result).toMatchObject({ exitCode: 0, summary: '漢字 😀 done', usage: { cost_usd: 0.25 } });
    const printed = ran.events.flatMap((event) =>
      event.kind === 'output' ? [Buffer.from(event.bytes).toString('utf8')] : [],
    );
    expect(printed).toContain('bare words\n');
  });
});
