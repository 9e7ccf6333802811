import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { ItemView } from '@palisade/contracts';
import { expect, onTestFinished } from 'vitest';
import { type ModelServer, startModelServer } from '../../packages/worker/test/model-server/model-server.ts';
import type { Script } from '../../packages/worker/test/model-server/script.ts';
import { bubblewrapSandboxes } from '@palisade/sandbox-bubblewrap';
import { agentProgram, type AgentProgramName, agentProgramsPath } from './agent-programs.ts';
import { filesBelow, formsIn, formsOf } from './canary-forms.ts';
import { type CliResult, makeRepository, palisade, removeInstallation } from './installation.ts';

const isSandboxed = (await bubblewrapSandboxes().probe()).available;

/** True where these programs can be run in a sandbox without a network: nothing else keeps them from it. */
export function canRun(...programs: readonly AgentProgramName[]): boolean {
  return isSandboxed && programs.every((program) => agentProgram(program) !== null);
}

/** An installation whose agents reach a scripted model by two endpoints, `messages` and `responses`. */
export interface AgentInstallation {
  readonly root: string;
  readonly model: ModelServer;
  /** The real credential of both endpoints. */
  readonly key: string;
  /** Every form the credential could take in a text. */
  readonly forms: ReturnType<typeof formsOf>;
  /** Runs the command, with the agent programs on PATH. */
  readonly cli: (...args: string[]) => Promise<CliResult>;
  /** Everything the command has printed so far. */
  readonly printed: readonly string[];
  /** The items of a run, as shown. */
  readonly items: (run: string) => Promise<readonly ItemView[]>;
  /** Text of an output, `run/item:path`. */
  readonly output: (ref: string) => Promise<string>;
  /** Files below the project that hold the credential in any form. */
  readonly leaks: () => string[];
}

/** Makes one for a test; it ends with it. */
export async function agentInstallation(
  script: Script,
  env: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, string>> = { 'a.txt': 'zero\n' },
): Promise<AgentInstallation> {
  const model = await startModelServer(script);
  const root = makeRepository(files);
  onTestFinished(async () => {
    await model.close();
    removeInstallation(root);
  });
  const key = `cnry-${randomBytes(24).toString('base64url')}`;
  const forms = formsOf(key);
  const printed: string[] = [];
  const path = [...agentProgramsPath(), process.env['PATH'] ?? ''].join(delimiter);
  const cli = async (...args: string[]): Promise<CliResult> => {
    const result = await palisade(root, args, { ...env, PATH: path });
    printed.push(result.stdout, result.stderr);
    return result;
  };
  const done = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await cli(...args);
    expect(code, stdout + stderr).toBe(0);
    return stdout;
  };
  await done('init');
  mkdirSync(join(root, '.palisade'), { recursive: true });
  writeFileSync(join(root, '.palisade/key'), key, { mode: 0o600 });
  await done('secret', 'put', 'model-key', '--file', '.palisade/key');
  writeFileSync(join(root, '.palisade/key'), '');
  const endpoint = ['--secret', 'secret:model-key', '--url'];
  await done('model-endpoint', 'set', 'messages', '--kind', 'anthropic', ...endpoint, model.url);
  await done('model-endpoint', 'set', 'responses', '--kind', 'openai', ...endpoint, `${model.url}/v1`);
  return {
    root,
    model,
    key,
    forms,
    cli,
    printed,
    items: async (run) => (JSON.parse(await done('show', run, '--json')) as { items: ItemView[] }).items,
    output: (ref) => done('artifact', 'get', ref),
    leaks: () => [...filesBelow(root)].filter((file) => formsIn(readFileSync(file), forms).length > 0),
  };
}
