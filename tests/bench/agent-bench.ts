import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { exportEvidence, registerModelEndpoint, putSecret, submitPlan } from '@palisade/contracts';
import type { ControlPlane } from '@palisade/server';
import {
  type PrivateEngine,
  startEngine,
  whyNoEngine,
} from '../../packages/providers/sandbox-docker/test/private-engine.ts';
import { startModelServer } from '../../packages/worker/test/model-server/model-server.ts';
import { agentProgram, agentProgramsPath } from '../support/agent-programs.ts';
import { ended, makeRepository, openAt, removeInstallation } from '../support/installation.ts';
import { percentile, report, skip } from './report.ts';

/** What a whole attempt costs beside the same program run by hand: a container, and a coding agent whose model answers at a person's pace. */
export async function benchAgents(directory: string, short: boolean): Promise<void> {
  const noDocker = whyNoEngine();
  if (noDocker === null) await benchDocker(short);
  else skip('docker.*', noDocker);
  const claude = agentProgram('claude');
  if (claude === null) skip('claude.*', 'node scripts/agent-programs.ts installs the programs');
  else await benchClaude(directory, claude, short);
}

async function benchDocker(short: boolean): Promise<void> {
  const engine = await startEngine();
  try {
    const rounds = short ? 3 : 8;
    const seconds = short ? 2 : 10;
    for (const [name, words] of [
      ['nothing', ['true']],
      [`${seconds}s`, ['sleep', String(seconds)]],
    ] as const) {
      const n = name === 'nothing' ? rounds : 2;
      const bare = percentile(await byHand(engine, words, n), 0.5);
      const ours = percentile(await attempts('docker', engine.env, { command: words.join(' ') }, n), 0.5);
      const target = name === 'nothing' ? undefined : '<= 1.15x';
      report(`docker.attempt_ms.${name}`, ours, 'ms', 'lower', bare, target);
    }
  } finally {
    await engine.stop();
  }
}

async function byHand(engine: PrivateEngine, words: readonly string[], rounds: number): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const start = performance.now();
    engine.docker('run', '--rm', '--network=none', engine.env.PALISADE_DOCKER_IMAGE, ...words);
    times.push(performance.now() - start);
  }
  return times;
}

async function benchClaude(directory: string, claude: string, short: boolean): Promise<void> {
  const turns = short ? 2 : 8;
  const paceMs = short ? 50 : 120;
  const calls = [{ name: 'Bash', input: { command: 'true', description: 'work' } }];
  const model = await startModelServer([
    ...Array.from({ length: turns }, () => ({
      say: 'I am working on it, one step after the other.',
      calls,
      paceMs,
    })),
    { say: 'It is done.', paceMs },
  ]);
  const path = [...agentProgramsPath(), process.env['PATH']].join(':');
  try {
    const bare: number[] = [];
    for (let i = 0; i < 3; i++) {
      const home = mkdtempSync(join(directory, 'claude-'));
      mkdirSync(join(home, 'work'));
      bare.push(await runClaude(claude, home, model.url, path));
    }
    const run = { harness: 'claude-code', model_endpoint: 'bench' };
    const item = { run, model: 'claude-sonnet-4-5', prompt: 'Do the task.' };
    const ours = await attempts('bubblewrap', { PATH: path }, item, 3, async (plane) => {
      await plane.call(putSecret, { name: 'key', value: 'not-a-real-key' });
      await plane.call(registerModelEndpoint, {
        name: 'bench',
        kind: 'anthropic',
        url: model.url,
        secret: 'secret:key',
      });
    });
    report('claude.attempt_ms', percentile(ours, 0.5), 'ms', 'lower', percentile(bare, 0.5), '<= 1.1x');
  } finally {
    await model.close();
  }
}

function runClaude(claude: string, home: string, url: string, path: string): Promise<number> {
  const start = performance.now();
  const child = spawn(
    claude,
    [
      '-p',
      '--output-format=stream-json',
      '--verbose',
      '--dangerously-skip-permissions',
      '--model=claude-sonnet-4-5',
      'Do the task.',
    ],
    {
      cwd: join(home, 'work'),
      stdio: 'ignore',
      env: {
        PATH: path,
        HOME: home,
        IS_SANDBOX: '1',
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: 'not-a-real-key',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
      },
    },
  );
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(performance.now() - start);
      else reject(new Error(`claude ended with ${code}`));
    });
  });
}

/** Milliseconds from the intent to the recorded end of attempts, one after another. */
async function attempts(
  sandbox: string,
  env: Readonly<Record<string, string>>,
  item: object,
  rounds: number,
  prepare: (plane: ControlPlane) => Promise<void> = async () => {},
): Promise<number[]> {
  const before = { ...process.env };
  Object.assign(process.env, env);
  const root = makeRepository({ 'a.txt': 'zero\n' });
  const plane = await openAt(root);
  try {
    await prepare(plane);
    await plane.ensureEngine();
    const times: number[] = [];
    for (let i = -1; i < rounds; i++) {
      const run_id = `bench-${i + 1}`;
      await plane.call(submitPlan, {
        plan: { items: [{ id: 'a', ...item }] },
        run_id,
        repository: root,
        sandbox,
      });
      const { run } = await ended(plane, run_id);
      if (run.state !== 'completed') throw new Error(`${run_id} ended ${run.state}`);
      const { entries } = await plane.call(exportEvidence, { run: run_id });
      const at = (type: string): number => entries.find((entry) => entry.type === type)?.at ?? Number.NaN;
      // The first fills caches.
      if (i >= 0) times.push(at('item.reconciled') - at('item.fired'));
    }
    return times;
  } finally {
    await plane.close();
    removeInstallation(root);
    for (const name of Object.keys(env)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}
