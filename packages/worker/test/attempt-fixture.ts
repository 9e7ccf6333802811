import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type AgentDefinition,
  type AttemptSpec,
  limits,
  newId,
  OutputLine,
  type SandboxProvider,
} from '@palisade/contracts';
import { bubblewrapSandboxes } from '@palisade/sandbox-bubblewrap';
import { processSandboxes } from '@palisade/sandbox-process';
import { onTestFinished } from 'vitest';

/** The providers of this machine, as the composition root would pass them. */
export const providers: readonly SandboxProvider[] = [processSandboxes(), bubblewrapSandboxes()];
const probed = await Promise.all(providers.map((provider) => provider.probe()));
/** Names of the providers that work here; a test that needs another one says that it was skipped. */
export const available = providers.filter((_, i) => probed[i]?.available === true).map(({ name }) => name);

export type Files = Readonly<Record<string, string | Buffer>>;

/** A directory that goes away with the test. */
export function scratch(): string {
  const dir = mkdtempSync(join(tmpdir(), 'palisade-worker-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 3 }));
  return dir;
}

/** A repository with one commit of these files. */
export function repository(files: Files): { gitDir: string; commit: string; directory: string } {
  const directory = join(scratch(), 'repo');
  mkdirSync(directory);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      cwd: directory,
      encoding: 'utf8',
    }).trim();
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  return { gitDir: join(directory, '.git'), commit: git('rev-parse', 'HEAD'), directory };
}

export interface SpecChanges extends Partial<Omit<AttemptSpec, 'agent' | 'sandbox'>> {
  readonly agent?: Partial<AgentDefinition>;
  readonly sandbox?: Partial<AttemptSpec['sandbox']>;
}

/** A spec of an agent that does nothing in an empty workspace, with changes. */
export function makeSpec(changes: SpecChanges = {}): AttemptSpec {
  const { agent, sandbox, ...rest } = changes;
  return {
    schema_version: 1,
    attempt_id: newId('att'),
    run_id: newId('run'),
    root_run_id: newId('run'),
    item_id: 'item',
    attempt: 1,
    deadline_at: Date.now() + 50_000,
    workspace: { kind: 'empty' },
    base_patches: [],
    agent: {
      schema_version: 1,
      name: 'tester',
      system_prompt: null,
      prompt_template: null,
      model: null,
      run: { harness: 'command', command: 'true' },
      capabilities: [],
      ...agent,
    },
    prompt: null,
    model: null,
    capabilities: [],
    inputs: [],
    env_values: {},
    secret_names: [],
    env_allow: [],
    pipeline: [],
    sandbox: {
      isolation: 'unsandboxed-host',
      provider: 'process',
      network: false,
      memory_bytes: limits.memoryBytes,
      processes: limits.processes,
      file_bytes: limits.fileBytes,
      output_bytes: limits.outputBytes,
      ...sandbox,
    },
    setup_timeout_ms: 20_000,
    kill_grace_ms: 500,
    ...rest,
  };
}

/** An attempt's directory with its spec, as the engine leaves it for the worker. */
export function attemptDir(spec: AttemptSpec): string {
  const dir = join(scratch(), spec.attempt_id);
  mkdirSync(dir);
  writeFileSync(join(dir, 'spec.json'), JSON.stringify(spec));
  return dir;
}

/** Every line of the attempt's log. */
export function logOf(dir: string): OutputLine[] {
  const path = join(dir, 'output.log');
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => OutputLine.parse(JSON.parse(line)));
}

/** What the programs of an attempt printed on one stream. */
export function printed(dir: string, kind: 'stdout' | 'stderr' = 'stdout'): string {
  return logOf(dir)
    .flatMap((line) => (line.kind === kind ? [line.text] : []))
    .join('\n');
}
