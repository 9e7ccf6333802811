import { describe, expect, it } from 'vitest';
import type { ModelRequest, Turn } from '../../packages/worker/test/model-server/script.ts';
import { type AgentInstallation, agentInstallation, canRun } from '../support/agent-installation.ts';
import { acpSettings, agentProgram, NEEDS_PROGRAMS } from '../support/agent-programs.ts';
import { formsIn } from '../support/canary-forms.ts';
import { attemptsOf, until } from '../support/installation.ts';
import { planFile } from '../support/plan-file.ts';
import { running } from '../support/processes.ts';

type Calls = NonNullable<Turn['calls']>;

const vendors = [
  {
    harness: 'claude-code',
    program: 'claude',
    endpoint: 'messages',
    model: 'standard',
    shell: (command: string): Calls => [{ name: 'Bash', input: { command, description: 'run' } }],
  },
  {
    harness: 'codex',
    program: 'codex',
    endpoint: 'responses',
    model: 'gpt-5.5',
    shell: (cmd: string): Calls => [{ name: 'exec_command', input: { cmd, yield_time_ms: 20_000 } }],
  },
] as const;
/** An agent that speaks the protocol; only a registered agent may name its program. */
const viaProtocol = { ...vendors[1], harness: 'acp', program: 'codex-acp' } as const;
type Vendor = (typeof vendors)[number] | typeof viaProtocol;

/** Leaves in `outputs/` what a curious agent finds out, and how far it gets; `$1` is the model's port. */
const LOOK_AROUND = `cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' > outputs/processes
find / -type s 2>/dev/null > outputs/sockets
cp "$(dirname "$(grep relay.sock outputs/sockets)")"/* . 2>/dev/null
tar -cf outputs/files --exclude=./outputs --exclude=./.git . 2>/dev/null
cut -d: -f1 /proc/net/dev | tail -n +3 | tr -d ' ' > outputs/interfaces
(exec 3<>/dev/tcp/127.0.0.1/$1) 2>/dev/null && echo reached > outputs/model || echo no > outputs/model
(exec 3<>/dev/tcp/192.0.2.1/80) 2>/dev/null && echo reached > outputs/network || echo no > outputs/network
true
`;

/** A run of one item. Answers the exit code. */
async function runItem(
  { cli, root }: AgentInstallation,
  vendor: Vendor,
  item: object = {},
  settings: object = {},
): Promise<number | null> {
  const run = { harness: vendor.harness, model_endpoint: vendor.endpoint, ...settings };
  if (vendor.harness === 'acp') {
    const definition = { run: { ...acpSettings(agentProgram(vendor.program) ?? ''), ...run } };
    const file = planFile(root, definition, 'agent.json');
    expect(await cli('agent', 'register', 'via-protocol', '--file', file)).toMatchObject({ code: 0 });
  }
  const plan = planFile(root, {
    items: [
      {
        id: 'it',
        ...(vendor.harness === 'acp' ? { agent: 'via-protocol' } : { run }),
        model: vendor.model,
        prompt: 'Do the task.',
        retry: { max_attempts: 1 },
        ...item,
      },
    ],
  });
  const { code } = await cli('run', plan, '--run-id', 'one', '--sandbox', 'bubblewrap');
  return code;
}

/** After so many tool results the model says this, and nothing else; titles and the like are not its work. */
const script =
  (...turns: readonly Turn[]) =>
  (request: ModelRequest): Turn =>
    request.tools.length === 0
      ? { say: 'a title' }
      : (turns[Math.min(request.results, turns.length - 1)] ?? {});

for (const vendor of [...vendors, viaProtocol]) {
  const { harness, shell } = vendor;
  describe.skipIf(!canRun(vendor.program))(`${harness} in a run (${NEEDS_PROGRAMS})`, () => {
    it('EX-202, DI-063: nothing in its sandbox holds the key, and its relay is the only way out', async () => {
      const place = await agentInstallation([], {}, { 'look.sh': LOOK_AROUND });
      const { model, forms, output } = place;
      model.script = script(
        { calls: shell(`bash look.sh ${new URL(model.url).port}`) },
        { say: 'I have looked.' },
      );
      expect(await runItem(place, vendor)).toBe(0);
      const [item] = await place.items('one');
      expect(item?.product).toMatchObject({ summary: 'I have looked.', model_traffic: { failed: 0 } });
      expect((await output('one/it:interfaces')).trim()).toBe('lo');
      expect(await output('one/it:model')).toBe('no\n');
      expect(await output('one/it:network')).toBe('no\n');
      const relays = (await output('one/it:sockets')).split('\n').filter((path) => path.includes('relay'));
      expect(relays).toHaveLength(1);
      const processes = await output('one/it:processes');
      const files = await output('one/it:files');
      expect(processes).toContain('placeholder-');
      expect(files).toContain('look.sh');
      expect([formsIn(processes, forms), formsIn(files, forms)]).toEqual([[], []]);
      await place.cli('logs', 'one/it', '--raw');
      await place.cli('explain', 'one/it');
      for (const text of place.printed) expect(formsIn(text, forms), text.slice(0, 2_000)).toEqual([]);
      await until('the attempt to be removed', async () => attemptsOf(place.root).length === 0);
      expect(place.leaks()).toEqual([]);
    });

    it('FF-063, DI-134, DI-174: when its time is up everything it started ends, and its work is kept', async () => {
      const token = `${Math.floor(Math.random() * 1e9) + 1e9}.25`;
      const daemon = `echo half > half.txt; setsid sh -c "trap '' TERM; sleep ${token}; sleep ${token}" </dev/null >/dev/null 2>&1 &`;
      const endless = `trap '' TERM; while :; do sleep ${token}; done`;
      const place = await agentInstallation(
        script({ calls: shell(daemon) }, { say: 'Waiting.', calls: shell(endless) }),
      );
      const startedAt = Date.now();
      const ended = runItem(place, vendor, { timeout_seconds: 10 });
      await until('its programs to run', async () => running(token).length >= 2);
      expect(await ended).not.toBe(0);
      expect(Date.now() - startedAt).toBeLessThan(60_000);
      expect(running(token)).toEqual([]);
      const [item] = await place.items('one');
      expect(item).toMatchObject({ state: 'failed', code: 'timed_out' });
      expect(item?.product?.patch).toMatchObject({ files: 1, added: 1 });
    });

    if (harness !== 'acp')
      it('FF-173: a retry goes on in the session of the attempt before, with its changes', async () => {
        const place = await agentInstallation((request) => {
          if (request.tools.length === 0) return { say: 'a title' };
          const isAgain = request.text.includes('ended before it was accepted');
          if (!isAgain)
            return request.results === 0
              ? { say: 'I guess.', calls: shell('echo wrong > answer.txt') }
              : { say: 'It is wrong.' };
          return request.results === 1
            ? { say: 'Again.', calls: shell('cat answer.txt > outputs/before; echo right > answer.txt') }
            : { say: 'It is right.' };
        });
        const pipeline = [
          { kind: 'agent' },
          { kind: 'capture', what: 'patch' },
          { kind: 'script', command: 'grep -q right answer.txt' },
          { kind: 'capture', what: 'outputs' },
        ];
        const retry = { max_attempts: 2, backoff_ms: 0 };
        expect(await runItem(place, vendor, { inputs: { pipeline }, retry }, { resume: true })).toBe(0);
        expect(await place.output('one/it:before')).toBe('wrong\n');
        const told = place.model.requests.at(-1)?.text ?? '';
        expect(told).toContain('I guess.');
        expect(told).toContain('exited with status 1');
        const [item] = await place.items('one');
        expect(item).toMatchObject({ state: 'done', attempt: 2 });
        // Each attempt counts its own use: two requests of 1 000 and 50 tokens.
        expect(item?.product).toMatchObject({
          summary: 'It is right.',
          patch: { files: 1, added: 1, deleted: 0 },
          usage: { input_tokens: 2_000, output_tokens: 100 },
        });
        const events = (await place.cli('events', 'one', '--json')).stdout;
        const sessions = [...events.matchAll(/"agent_session":\{[^}]*?"id":"([^"]+)"/g)].map(([, id]) => id);
        expect(new Set(sessions).size).toBe(1);
        expect(sessions).toHaveLength(2);
        expect((await place.cli('verify', 'one')).code).toBe(0);
      });
  });
}

describe.skipIf(!canRun('claude'))(`claude-code in a run (${NEEDS_PROGRAMS})`, () => {
  it('DI-133: what its permission does not cover is denied, and whoever asks is told', async () => {
    const [vendor] = vendors;
    const place = await agentInstallation(
      script(
        { calls: vendor.shell('touch outputs/listed') },
        { calls: vendor.shell('rm outputs/listed') },
        { say: 'Done as far as I may.' },
      ),
    );
    expect(await runItem(place, vendor, {}, { allowed_tools: ['Bash(touch:*)'] })).toBe(0);
    expect(await place.output('one/it:listed')).toBe('');
    const [item] = await place.items('one');
    expect(item?.product?.warnings).toEqual(['its permission denied the agent Bash']);
    const { code, stderr } = await place.cli(
      'run',
      planFile(place.root, {
        items: [{ id: 'it', prompt: 'x', run: { harness: 'claude-code', permission: 'everything' } }],
      }),
    );
    expect(code).toBe(2);
    expect(stderr).toContain('permission');
  });
});

describe.skipIf(!canRun('codex'))(`codex in a run (${NEEDS_PROGRAMS})`, () => {
  it('DI-133: a permission it cannot hold its agent to starts nothing, and says what would help', async () => {
    const [, vendor] = vendors;
    const place = await agentInstallation(script({ say: 'Never asked.' }));
    expect(await runItem(place, vendor, {}, { permission: 'strict' })).not.toBe(0);
    expect(place.model.requests).toEqual([]);
    const [item] = await place.items('one');
    expect(item).toMatchObject({ state: 'failed', reason: expect.stringContaining('use bypass') });
  });
});
