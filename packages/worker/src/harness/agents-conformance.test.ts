import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import type { HarnessChoice } from '@palisade/contracts';
import { type Equipment, harnessConformance } from '@palisade/contracts/testing';
import { describe, expect, it, test } from 'vitest';
import { endpointOf, MODEL_KEY } from '../../test/agent-fixture.ts';
import { acpSettings, agentProgram, NEEDS_PROGRAMS } from '../../../../tests/support/agent-programs.ts';
import { available, providers, scratch } from '../../test/attempt-fixture.ts';
import { startModelServer } from '../../test/model-server/model-server.ts';
import type { ModelRequest, Script, Turn } from '../../test/model-server/script.ts';
import { ModelRelay } from '../model-relay/model-relay.ts';
import { acpHarness } from './acp.ts';
import { claudeCodeHarness } from './claude-code.ts';
import { codexHarness } from './codex.ts';

/** Leaves the session of its agent, ignores SIGTERM, and is there when the command has ended. */
const daemon = (token: string): string =>
  `setsid sh -c "trap '' TERM; sleep ${token}; sleep ${token}" </dev/null >/dev/null 2>&1 &`;
const endless = (token: string): string => `trap '' TERM; while :; do sleep ${token}; done`;

/** What a run is scripted to do, by the settings it is started with. */
const scripts = new Map<HarnessChoice, Script>();

/** Gives a run a model of its own and the way to it, as a worker would. */
async function equip(settings: HarnessChoice): Promise<Equipment> {
  const model = await startModelServer(scripts.get(settings) ?? [{ say: 'nothing to do' }]);
  const wire = settings.harness === 'claude-code' ? 'anthropic' : 'openai';
  const root = scratch();
  chmodSync(root, 0o755);
  const relay = await ModelRelay.open({
    directory: join(root, 'model'),
    endpoint: endpointOf(model.url, wire),
    credential: MODEL_KEY,
  });
  const { socketPath, placeholder } = relay;
  return {
    readOnlyPaths: [relay.directory],
    modelAccess: { wire, credential: 'api-key', socketPath, placeholder, models: {} },
    dispose: async () => {
      relay.close();
      await model.close();
    },
  };
}

/** Says what a command printed: the model has it in its request. */
const repeat = (request: ModelRequest): Turn => ({ say: /value \d+/.exec(request.text)?.[0] ?? 'no value' });

const provider = providers.find(({ name }) => name === 'bubblewrap');
for (const [harness, name, shell] of [
  [
    claudeCodeHarness,
    'claude',
    (command: string) => ({ name: 'Bash', input: { command, description: 'run' } }),
  ],
  [codexHarness, 'codex', (cmd: string) => ({ name: 'exec_command', input: { cmd, yield_time_ms: 20_000 } })],
  [
    acpHarness,
    'codex-acp',
    (cmd: string) => ({ name: 'exec_command', input: { cmd, yield_time_ms: 20_000 } }),
  ],
] as const) {
  const program = agentProgram(name);
  if (provider === undefined || program === null || !available.includes('bubblewrap')) {
    test.skip(`harness conformance: ${harness.name} (${NEEDS_PROGRAMS})`, () => {});
    continue;
  }
  const scripted = (script: Script): HarnessChoice => {
    const settings: HarnessChoice =
      name === 'codex-acp'
        ? acpSettings(program)
        : { harness: name === 'codex' ? 'codex' : 'claude-code', program };
    scripts.set(settings, script);
    return settings;
  };
  harnessConformance(
    harness,
    {
      works: scripted([{ calls: [shell('echo made > made.txt')] }, { say: 'shown' }]),
      fails: scripted(() => ({ fault: { status: 400 } })),
      failsWith: 1,
      model: name === 'claude' ? 'standard' : 'gpt-5.5',
      showsValue: scripted((request) =>
        request.tools.length > 0 && request.results === 0
          ? { calls: [shell('echo "$CONFORMANCE_VALUE"')] }
          : repeat(request),
      ),
      hangs: (token) =>
        scripted([{ calls: [shell(daemon(token))] }, { say: 'ready', calls: [shell(endless(token))] }]),
      equip,
    },
    provider,
    { describe, it, expect },
  );
}
