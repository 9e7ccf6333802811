import { chmodSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  ANSWER_KEY,
  ATTEMPT_FILES,
  type AttemptSpec,
  firstModel,
  type Harness,
  INBOX_FILE,
  isContentHash,
  isolationOf,
  limits,
  PalisadeError,
  QUESTION_FILE,
  type Sandbox,
  type SandboxProvider,
} from '@palisade/contracts';
import { materialise, recordBase, type WorkspaceHandle } from '@palisade/workspace';
import { mergeEnvironment } from '../environment.ts';
import { layConfiguration } from '../overlay/agent-configuration.ts';
import { writeInputs } from '../overlay/inputs.ts';
import { overlayCapabilities, type SetupScript } from '../overlay/overlay.ts';
import { makeDirectories, writeFileSafely } from '../overlay/safe-file.ts';
import { writeAnswers } from './answers.ts';
import type { AttemptContext } from './context.ts';
import { Inbox } from './inbox.ts';
import { taskPrompt, wholePrompt } from './prompt.ts';
import { byProvider, guarded } from './provider-fault.ts';

/** A workspace in which everything lies that no program of the attempt made. */
export interface PreparedWorkspace {
  readonly handle: WorkspaceHandle;
  readonly setup: readonly SetupScript[];
  readonly prompt: string | null;
  readonly inbox: Inbox | null;
}

/** Materialises the workspace with its base patches and fixes them as its base. */
export async function openWorkspace(attempt: AttemptContext): Promise<WorkspaceHandle> {
  const { spec, attemptDir } = attempt;
  attempt.log.phase('workspace');
  const stateDir = join(attemptDir, ATTEMPT_FILES.workspaceState);
  const { workspace } = spec;
  const handle = await materialise({
    source:
      workspace.kind === 'git'
        ? { kind: 'git', gitDir: workspace.git_dir, commit: workspace.commit }
        : workspace,
    directory: join(attemptDir, ATTEMPT_FILES.workspace),
    stateDir,
    basePatches: spec.base_patches.map(({ path }) => ({ path })),
  });
  await recordBase(handle);
  return handle;
}

/** Overlay, inputs, input and prompt files, private directories; all before any program runs. */
export function fillWorkspace(
  attempt: AttemptContext,
  handle: WorkspaceHandle,
  harness: Harness,
): PreparedWorkspace {
  const { spec, log } = attempt;
  const root = handle.directory;
  log.phase('overlay');
  const setup = overlayCapabilities(root, spec.capabilities, (text) => attempt.report.warn(text));
  if (spec.inputs.length > 0) log.phase('inputs');
  writeInputs(root, spec.inputs);
  if (spec.answers !== undefined) writeAnswers(root, spec.answers);
  const prompt = taskPrompt(spec);
  const whole = wholePrompt(spec.agent.system_prompt, prompt);
  writeFileSafely(root, '.palisade/input.json', Buffer.from(`${JSON.stringify(spec.input ?? null)}\n`));
  if (whole !== null) writeFileSafely(root, '.palisade/prompt.md', Buffer.from(whole, 'utf8'));
  for (const dir of ['.palisade/home', '.palisade/tmp', 'outputs']) makeDirectories(root, dir);
  chmodSync(join(root, '.palisade/home'), 0o700);
  if (harness.configDirectory !== undefined)
    layConfiguration(root, spec.capabilities, harness.configDirectory, (text) => attempt.report.warn(text));
  chmodSync(join(root, '.palisade/tmp'), 0o700);
  const inbox = spec.channel === undefined ? null : Inbox.create(root, spec.channel.messages);
  return { handle, setup, prompt, inbox };
}

/** Finds what the attempt names among what the composition root gave. */
export function choose(
  spec: AttemptSpec,
  sandboxes: readonly SandboxProvider[],
  harnesses: readonly Harness[],
): { provider: SandboxProvider; harness: Harness } {
  const provider = sandboxes.find(({ name }) => name === spec.sandbox.provider);
  if (provider === undefined)
    throw new PalisadeError(
      'requirements_unmet',
      `this worker has no sandbox provider ${spec.sandbox.provider}`,
    );
  const harness = harnesses.find(({ name }) => name === spec.agent.run.harness);
  if (harness === undefined)
    throw new PalisadeError('requirements_unmet', `this worker has no harness ${spec.agent.run.harness}`);
  return { provider, harness };
}

/** @throws PalisadeError `provider_failed` when the provider cannot give the sandbox, unless it says why itself */
export async function allocateSandbox(
  attempt: AttemptContext,
  provider: SandboxProvider,
  handle: WorkspaceHandle,
  /** What the attempt shows the sandbox besides its workspace. */
  readOnlyPaths: readonly string[],
): Promise<Sandbox> {
  const { sandbox: settings, attempt_id: attemptId } = attempt.spec;
  attempt.log.phase('sandbox', provider.name);
  const what = `the sandbox ${provider.name}`;
  const sandbox = await byProvider(what, () =>
    provider.allocate({
      attemptId,
      workspaceDir: handle.directory,
      stateDir: join(attempt.attemptDir, ATTEMPT_FILES.sandboxState),
      readOnlyPaths: [...handle.readOnlyPaths, ...readOnlyPaths],
      network: settings.network,
      limits: {
        memoryBytes: settings.memory_bytes,
        ...(settings.cpus === undefined ? {} : { cpus: settings.cpus }),
        processes: settings.processes,
        fileBytes: settings.file_bytes,
        stdoutBytes: limits.stdoutBytes,
        stderrBytes: limits.stderrBytes,
      },
    }),
  );
  attempt.report.posture(sandbox.posture);
  if (isContentHash(sandbox.image)) attempt.report.facts({ image: sandbox.image });
  if (settings.cpus !== undefined && !sandbox.posture.includes('cpu-limit'))
    attempt.report.warn(
      `the sandbox ${provider.name} cannot limit processor time here: sandbox.cpus does not hold`,
    );
  if (settings.isolation === 'sandboxed' && isolationOf(sandbox.posture) !== 'sandboxed') {
    await sandbox.destroy();
    throw new PalisadeError(
      'requirements_unmet',
      `sandbox ${provider.name} is no boundary here, but the attempt was submitted with one`,
      { next: 'palisade doctor' },
    );
  }
  return guarded(what, sandbox);
}

/** The environment of every program of the attempt; the contract is docs/harness-contract.md. */
export function attemptEnvironment(
  attempt: AttemptContext,
  sandbox: Sandbox,
  hasPrompt: boolean,
): Record<string, string> {
  const { spec } = attempt;
  const at = (path: string): string => join(sandbox.workspacePath, path);
  const model = firstModel(spec.model, spec.agent.model);
  return mergeEnvironment({
    base: process.env,
    allow: spec.env_allow,
    places: {
      HOME: at('.palisade/home'),
      // Where every program starts; given, so that nobody has to take away what a launcher would set.
      PWD: sandbox.workspacePath,
      TMPDIR: sandbox.posture.includes('private-tmp') ? '/tmp' : at('.palisade/tmp'),
      // A repository around the workspace is not the agent's.
      GIT_CEILING_DIRECTORIES: dirname(sandbox.workspacePath),
    },
    values: spec.env_values,
    secrets: attempt.secrets,
    contract: {
      PALISADE_RUN_ID: spec.run_id,
      PALISADE_ITEM_ID: spec.item_id,
      PALISADE_ATTEMPT: String(spec.attempt),
      PALISADE_ATTEMPT_ID: spec.attempt_id,
      PALISADE_WORKSPACE: sandbox.workspacePath,
      PALISADE_INPUT: at('.palisade/input.json'),
      ...(hasPrompt ? { PALISADE_PROMPT_FILE: at('.palisade/prompt.md') } : {}),
      ...(model === null ? {} : { PALISADE_MODEL: model }),
      PALISADE_OUTPUTS: at('outputs'),
      PALISADE_SUMMARY_FILE: at('.palisade/summary.md'),
      PALISADE_USAGE_FILE: at('.palisade/usage.json'),
      PALISADE_QUESTION_FILE: at(QUESTION_FILE),
      ...(spec.channel === undefined ? {} : { PALISADE_INBOX_FILE: at(INBOX_FILE) }),
      ...(spec.answers === undefined ? {} : { PALISADE_ANSWER_FILE: at(`inputs/${ANSWER_KEY}`) }),
    },
  });
}
