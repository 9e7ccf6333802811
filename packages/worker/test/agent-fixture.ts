import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AttemptResult,
  type Harness,
  type HarnessChoice,
  type HarnessContext,
  type HarnessEvent,
  type HarnessResult,
  limits,
  MODEL_CREDENTIAL,
  type ModelAccess,
  type ModelEndpointDefinition,
  newId,
} from '@palisade/contracts';
import { onTestFinished } from 'vitest';
import { runAttempt } from '../src/index.ts';
import { attemptDir, makeSpec, providers, scratch, type SpecChanges } from './attempt-fixture.ts';
import { type ModelServer, startModelServer } from './model-server/model-server.ts';
import type { Script } from './model-server/script.ts';

/** The real credential of a scripted model in tests. */
export const MODEL_KEY = 'sk-canary-7f3a9b2c5d8e1f40-canary';

/** The definition of a model endpoint that leads to a scripted model. */
export function endpointOf(
  url: string,
  kind: ModelEndpointDefinition['kind'],
  more: Partial<ModelEndpointDefinition> = {},
): ModelEndpointDefinition {
  return {
    schema_version: 1,
    name: 'scripted',
    kind,
    url,
    secret: 'secret:key',
    credential: 'api-key',
    ...more,
  };
}

/** A model that ends with the test. */
export async function scriptedModel(script: Script): Promise<ModelServer> {
  const model = await startModelServer(script);
  onTestFinished(() => model.close());
  return model;
}

/** One run of a harness, without the rest of an attempt, and what its program left. */
export interface HarnessRun {
  readonly result: HarnessResult;
  readonly events: readonly HarnessEvent[];
  /** The text of a file below `outputs/`; null without one. */
  readonly output: (path: string) => string | null;
}

/** Runs a harness in a bubblewrap sandbox of its own. */
export async function runHarness(
  harness: Harness,
  settings: HarnessChoice,
  changes: Partial<Omit<HarnessContext, 'settings'>> = {},
): Promise<HarnessRun> {
  const prompt = changes.prompt === undefined ? 'Do the task.' : changes.prompt;
  const hasPrompt = prompt !== null || (changes.systemPrompt ?? null) !== null;
  const needs = await harness.prepare?.({ settings, path: process.env['PATH'] ?? '', hasPrompt });
  const root = scratch();
  chmodSync(root, 0o755);
  const workspaceDir = join(root, 'workspace');
  mkdirSync(join(workspaceDir, 'outputs'), { recursive: true });
  mkdirSync(join(workspaceDir, '.palisade/home'), { recursive: true });
  const provider = providers.find(({ name }) => name === 'bubblewrap');
  if (provider === undefined) throw new Error('there is no bubblewrap');
  const sandbox = await provider.allocate({
    attemptId: newId('att'),
    workspaceDir,
    stateDir: join(root, 'state'),
    readOnlyPaths: needs?.readOnlyPaths ?? [],
    network: false,
    limits,
  });
  const events: HarnessEvent[] = [];
  const { env, ...rest } = changes;
  try {
    const result = await harness.run({
      systemPrompt: null,
      model: null,
      modelAccess: null,
      resume: null,
      timeoutMs: 60_000,
      graceMs: 300,
      signal: new AbortController().signal,
      emit: (event) => events.push(event),
      ...rest,
      settings,
      prompt,
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        HOME: '/workspace/.palisade/home',
        PALISADE_WORKSPACE: '/workspace',
        PALISADE_OUTPUTS: '/workspace/outputs',
        ...env,
      },
      workspaceDir: sandbox.workspacePath,
      sandbox,
    });
    const output = (path: string): string | null => {
      const file = join(workspaceDir, 'outputs', path);
      return existsSync(file) ? readFileSync(file, 'utf8') : null;
    };
    return { result, events, output };
  } finally {
    await sandbox.destroy();
  }
}

/** A way to a model that leads nowhere, for what happens before one is asked. */
export function accessTo(wire: ModelAccess['wire'], more: Partial<ModelAccess> = {}): ModelAccess {
  return {
    wire,
    credential: 'api-key',
    socketPath: '/workspace/relay.sock',
    placeholder: 'placeholder-of-a-test',
    models: {},
    ...more,
  };
}

/** One whole attempt of an agent in bubblewrap, with what it left. */
export interface AgentAttempt {
  readonly result: AttemptResult;
  readonly dir: string;
  /** The text of an output; null without one. */
  readonly output: (path: string) => string | null;
  readonly patch: () => string;
  /** The bytes of one of its products. */
  readonly bytesOf: (ref: string) => Buffer;
}

/** Carries out one attempt of an agent. */
export async function attemptOf(
  run: HarnessChoice,
  changes: SpecChanges = {},
  secrets: Readonly<Record<string, string>> = {},
): Promise<AgentAttempt> {
  const { agent, sandbox, ...rest } = changes;
  const spec = makeSpec({
    agent: { run, ...agent },
    prompt: 'Do the task.',
    sandbox: { provider: 'bubblewrap', ...sandbox },
    deadline_at: Date.now() + 100_000,
    secret_names: Object.keys(secrets),
    ...rest,
  });
  const dir = attemptDir(spec);
  const credential: Record<string, string> =
    spec.model_endpoint === undefined ? {} : { [MODEL_CREDENTIAL]: MODEL_KEY };
  const result = await runAttempt({
    attemptDir: dir,
    sandboxes: providers,
    secrets: { ...credential, ...secrets },
  });
  const bytesOf = (ref: string): Buffer =>
    readFileSync(join(dir, 'products', result.files.find((each) => each.ref === ref)?.file ?? ''));
  const read = (ref: string | undefined): string | null =>
    ref === undefined ? null : bytesOf(ref).toString('utf8');
  return {
    result,
    dir,
    output: (path) => read(result.product.outputs?.find((each) => each.path === path)?.ref),
    patch: () => read(result.product.result_ref) ?? '',
    bytesOf,
  };
}

/**
 * A program in the place of a vendor's: it leaves what it was given as outputs (`argv`, one word a line,
 * `env`, `stdin`, and `files`, what its configuration directory holds), prints a stream and ends.
 */
export function programDouble(options: {
  readonly prints: string | Buffer;
  readonly status?: number;
  /** More shell to run before it ends. */
  readonly and?: string;
}): string {
  const dir = scratch();
  chmodSync(dir, 0o755);
  const program = join(dir, 'double');
  const text = Buffer.from(options.prints).toString('base64');
  writeFileSync(
    program,
    `#!/bin/sh
printf '%s\\n' "$@" > outputs/argv
env > outputs/env
cat > outputs/stdin
cd "\${CLAUDE_CONFIG_DIR:-$CODEX_HOME}" && for f in $(find . -type f); do echo "== $f"; cat "$f"; echo; done > "$PALISADE_OUTPUTS/files"
cd "$PALISADE_WORKSPACE"
${options.and ?? ''}
base64 -d <<'STREAM'
${text}
STREAM
exit ${options.status ?? 0}
`,
  );
  chmodSync(program, 0o755);
  return program;
}

/** Lines of JSON. */
export function lines(...messages: readonly object[]): string {
  return messages.map((message) => `${JSON.stringify(message)}\n`).join('');
}

/** The environment a double was given. */
export function environmentIn(run: Pick<HarnessRun, 'output'>): Record<string, string> {
  const pairs = (run.output('env') ?? '').split('\n').map((line) => line.split(/=(.*)/s));
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]));
}
