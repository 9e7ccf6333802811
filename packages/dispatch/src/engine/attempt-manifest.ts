import {
  type AgentDefinition,
  type Authorization,
  canonicalHash,
  canonicalJson,
  contentHash,
  limits,
  type Manifest,
  PRODUCT_VERSION,
} from '@palisade/contracts';
import type { RootRun } from '@palisade/runs';
import type { FrozenItem } from '../plans/frozen-plan.ts';
import { answeredRefs } from '../requests/goes-on-with.ts';
import type { QuestionRequest } from '../requests/request-store.ts';
import type { AttemptInput } from './attempt-inputs.ts';
import type { EarlierAttempt } from './earlier-attempt.ts';

export interface ManifestFacts {
  readonly run: RootRun;
  readonly definition: AgentDefinition | undefined;
  readonly item: FrozenItem;
  readonly authorization: Authorization;
  readonly attempt: number;
  readonly childRunId: string;
  readonly firedAt: number;
  readonly deadlineAt: number;
  readonly inputs: readonly AttemptInput[];
  readonly earlier: EarlierAttempt | null;
  readonly answers: readonly QuestionRequest[];
}

/** Canonical text of an attempt's manifest (DI-220): everything it is authorised to do, before it does anything. */
export function manifestText(facts: ManifestFacts): string {
  const { run, definition, item } = facts;
  if (definition === undefined) throw new Error(`plan holds no definition of agent ${item.agent.name}`);
  const manifest: Manifest = {
    schema_version: 1,
    run_id: run.id,
    item_id: item.id,
    attempt: facts.attempt,
    attempt_run: facts.childRunId,
    actor: run.actor,
    submitted_at: run.submittedAt,
    fired_at: facts.firedAt,
    deadline_at: facts.deadlineAt,
    executor: item.executor,
    authorization: facts.authorization,
    ...(item.shape === undefined ? {} : { shape: { id: item.shape.id, effect: item.shape.effect } }),
    agent: { ...item.agent, definition },
    harness: { name: definition.run.harness, version: PRODUCT_VERSION },
    capabilities: [...item.capabilities],
    environments: [...item.environments],
    env_names: [...item.envNames],
    secret_refs: [...(item.secretRefs ?? [])],
    inputs: facts.inputs.map((input) => ({ ...input })),
    ...(facts.earlier === null ? {} : { resumes: resumed(facts.earlier) }),
    ...(facts.answers.length === 0 ? {} : { answers: answeredRefs(facts.answers) }),
    ...(item.prompt === null ? {} : { prompt_hash: contentHash(item.prompt) }),
    ...(item.input === undefined ? {} : { input_hash: canonicalHash(item.input) }),
    ...(item.model === null ? {} : { model: item.model }),
    ...(item.modelEndpoint === undefined ? {} : { model_endpoint: item.modelEndpoint }),
    workspace: run.base.kind === 'git' ? { kind: 'git', commit: run.base.commit } : { kind: 'empty' },
    pipeline: [...item.pipeline],
    ...(item.pipelineRef === undefined ? {} : { pipeline_ref: item.pipelineRef }),
    ...(item.verify === undefined ? {} : { verify: item.verify }),
    ...(item.channel === undefined ? {} : { channel: item.channel }),
    sandbox: item.sandbox,
    setup_timeout_ms: limits.setupMs,
    kill_grace_ms: limits.killGraceMs,
    holds: [...item.locks],
  };
  return canonicalJson(manifest);
}

function resumed({ attempt, session, patch }: EarlierAttempt): NonNullable<Manifest['resumes']> {
  return {
    attempt,
    ...(session === null ? {} : { session: session.ref }),
    ...(patch === null ? {} : { patch }),
  };
}
