import {
  type AttemptSpec,
  type ContentHash,
  type EnvironmentDefinition,
  limits,
  MODEL_CREDENTIAL,
  type ModelEndpointDefinition,
  PalisadeError,
} from '@palisade/contracts';
import type { PreparedAttempt } from '@palisade/runs';
import { mergeEnvironments } from '../registry/environments/environment.ts';
import type { AttemptRef } from './attempts-in-flight.ts';
import type { EarlierAttempt } from './earlier-attempt.ts';

/** What preparing an attempt needs from the rest of the control plane. */
export interface AttemptMaterial {
  /** Local path of a blob, verified now. */
  blobPath(hash: ContentHash): Promise<string>;
  environment(hash: ContentHash): Promise<EnvironmentDefinition>;
  /** Values of a project's secrets by variable name, at this moment. */
  secrets(project: string, environments: readonly EnvironmentDefinition[]): Promise<Record<string, string>>;
  /** The credential of a model endpoint, at this moment. */
  modelCredential(project: string, endpoint: ModelEndpointDefinition): Promise<string>;
  /** Names or `PREFIX*` the operator lets through the environment firewall. */
  readonly envAllow: readonly string[];
}

/**
 * The worker's specification of one attempt, built when it is needed: every file is verified now and
 * secrets are resolved now, so a rotated or expired secret counts (DI-073).
 */
export async function prepareAttempt(
  material: AttemptMaterial,
  attempt: AttemptRef,
): Promise<PreparedAttempt> {
  const { run, graph } = attempt;
  const item = graph.item(attempt.ordinal);
  const agent = graph.agent(item.agent.hash);
  if (agent === undefined)
    throw new PalisadeError('internal', `the plan holds no definition of agent ${item.agent.name}`);
  const definitions: EnvironmentDefinition[] = [];
  for (const { hash } of item.environments) definitions.push(await material.environment(hash));
  const { values } = mergeEnvironments(definitions);
  const secrets = await material.secrets(run.project, definitions);
  const endpoint = item.modelEndpoint?.definition;
  const basePatches: AttemptSpec['base_patches'] = [];
  const inputs: AttemptSpec['inputs'] = [];
  for (const input of attempt.inputs) {
    const path = await material.blobPath(input.ref);
    if (input.applied) basePatches.push({ from: input.from, ref: input.ref, path });
    else inputs.push({ key: input.key, ref: input.ref, path });
  }
  const capabilities: AttemptSpec['capabilities'] = [];
  for (const { name, hash } of item.capabilities)
    capabilities.push({ name, hash, path: await material.blobPath(hash) });
  const resume = await resumption(material, attempt.earlier);
  const answers = await answersFor(material, attempt.answers);
  const spec: AttemptSpec = {
    schema_version: 1,
    attempt_id: attempt.childRunId,
    run_id: attempt.childRunId,
    root_run_id: run.id,
    item_id: item.id,
    attempt: attempt.attempt,
    deadline_at: attempt.deadlineAt,
    workspace:
      run.base.kind === 'git'
        ? { kind: 'git', git_dir: run.base.gitDir, commit: run.base.commit }
        : { kind: 'empty' },
    base_patches: basePatches,
    agent,
    prompt: item.prompt,
    model: item.model,
    ...(item.input === undefined ? {} : { input: item.input as AttemptSpec['input'] }),
    capabilities,
    inputs,
    env_values: { ...values },
    secret_names: Object.keys(secrets),
    ...(endpoint === undefined ? {} : { model_endpoint: endpoint }),
    env_allow: [...material.envAllow],
    pipeline: [...item.pipeline],
    ...(item.verify === undefined ? {} : { verify: item.verify }),
    ...(resume === undefined ? {} : { resume }),
    ...(answers === undefined ? {} : { answers }),
    ...(item.channel === undefined ? {} : { channel: { messages: [...attempt.messages] } }),
    sandbox: item.sandbox,
    setup_timeout_ms: limits.setupMs,
    kill_grace_ms: limits.killGraceMs,
  };
  if (endpoint === undefined) return { spec, secrets };
  const credential = await material.modelCredential(run.project, endpoint);
  return { spec, secrets: { ...secrets, [MODEL_CREDENTIAL]: credential } };
}

async function resumption(
  material: AttemptMaterial,
  earlier: EarlierAttempt | null,
): Promise<AttemptSpec['resume']> {
  if (earlier === null) return undefined;
  const { attempt, session, patch, reason } = earlier;
  return {
    attempt,
    ...(session === null ? {} : { session: { ...session, path: await material.blobPath(session.ref) } }),
    ...(patch === null ? {} : { patch: { ref: patch, path: await material.blobPath(patch) } }),
    ...(reason === null ? {} : { reason }),
  };
}

async function answersFor(
  material: AttemptMaterial,
  asked: AttemptRef['answers'],
): Promise<AttemptSpec['answers']> {
  const answers: NonNullable<AttemptSpec['answers']> = [];
  for (const { attempt, question, answer } of asked) {
    if (answer === null) continue;
    const state = question.partial_state;
    const path = state === undefined ? {} : { state_path: await material.blobPath(state.ref) };
    answers.push({ attempt, question, answer, ...path });
  }
  return answers.length === 0 ? undefined : answers;
}
