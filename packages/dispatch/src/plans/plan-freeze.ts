import {
  type AgentDefinition,
  type ContentHash,
  canonicalHash,
  defaultPipeline,
  type EnvironmentDefinition,
  firstModel,
  HARNESS_WIRES,
  type InputIssue,
  type Isolation,
  isPalisadeError,
  limits,
  type ModelEndpointDefinition,
  PalisadeError,
  type Plan,
  type PlanItem,
} from '@palisade/contracts';
import { mergeEnvironments } from '../registry/environments/environment.ts';
import type { FrozenItem, FrozenPlan } from './frozen-plan.ts';
import { dependenciesOf } from './plan-validate.ts';

/** What freezing needs to know of the registry: names to content as of now, addresses to exactly what they name. Unknown ones raise `not_found`. */
export interface NameResolver {
  agent(name: string): Promise<{ readonly hash: ContentHash; readonly definition: AgentDefinition }>;
  capability(name: string): Promise<{ readonly name: string; readonly hash: ContentHash }>;
  environment(
    name: string,
  ): Promise<{ readonly hash: ContentHash; readonly definition: EnvironmentDefinition }>;
  modelEndpoint(
    name: string,
  ): Promise<{ readonly hash: ContentHash; readonly definition: ModelEndpointDefinition }>;
}

/** The operator's ceiling and defaults. */
export interface FreezePolicy {
  readonly sandbox: { readonly name: string; readonly isolation: Isolation };
  readonly allowNetwork: boolean;
  /** For items for which neither they nor their agent ask for a model (DI-062). */
  readonly defaultModel?: string;
  readonly executors: ReadonlySet<string>;
  /** Asked about a queue the plan names; the one named `default` always exists. */
  readonly isQueue: (name: string) => Promise<boolean>;
  readonly title: string;
}

/**
 * Resolves every name of a validated plan, so that nothing registered later changes this run
 * (DI-040, DI-163 BETTER). Collects every unknown name and every wish above the operator's ceiling,
 * and raises them together as `invalid_plan`.
 */
export async function freezePlan(
  plan: Plan,
  resolver: NameResolver,
  policy: FreezePolicy,
): Promise<FrozenPlan> {
  const issues: InputIssue[] = [];
  const agents: Record<ContentHash, AgentDefinition> = {};
  const memo = new Map<string, Promise<unknown>>();
  const once = async <T>(key: string, look: () => Promise<T>, path: string): Promise<T | undefined> => {
    let found = memo.get(key);
    if (found === undefined) {
      found = look();
      found.catch(() => {});
      memo.set(key, found);
    }
    try {
      return (await found) as T;
    } catch (error) {
      if (!isPalisadeError(error, 'not_found')) throw error;
      issues.push({ path, message: error.message });
      return undefined;
    }
  };
  const queue = plan.queue ?? 'default';
  if (plan.queue !== undefined && !(await policy.isQueue(queue)))
    issues.push({ path: 'queue', message: `unknown queue "${queue}"` });
  const items: FrozenItem[] = [];
  for (const [i, item] of plan.items.entries()) {
    const at = `items[${i}]`;
    const executor = item.executor ?? 'local';
    if (!policy.executors.has(executor))
      issues.push({ path: `${at}.executor`, message: `unknown executor "${executor}"` });
    if (item.sandbox?.network === true && !policy.allowNetwork) {
      issues.push({
        path: `${at}.sandbox.network`,
        message: 'the plan asks for the network and the operator has not allowed it (--allow-network)',
      });
    }
    const registered = item.agent ?? item.inputs?.subagent;
    const agent =
      registered === undefined
        ? inlineAgent(item)
        : await once(
            `agent:${registered}`,
            () => resolver.agent(registered),
            item.agent === undefined ? `${at}.inputs.subagent` : `${at}.agent`,
          );
    if (agent === undefined) continue;
    agents[agent.hash] = agent.definition;
    const capabilities = await freezeCapabilities(item, agent.definition, at, (name, path) =>
      once(`capability:${name}`, () => resolver.capability(name), path),
    );
    const environments = [];
    for (const name of envNames(item)) {
      const found = await once(`env:${name}`, () => resolver.environment(name), `${at}.inputs.env`);
      if (found !== undefined) environments.push(found);
    }
    const modelEndpoint = await freezeModelEndpoint(agent.definition, at, issues, (name, path) =>
      once(`model-endpoint:${name}`, () => resolver.modelEndpoint(name), path),
    );
    items.push(freezeItem(item, executor, agent, capabilities, environments, modelEndpoint, policy));
  }
  if (issues.length > 0)
    throw new PalisadeError(
      'invalid_plan',
      `the plan has ${issues.length === 1 ? 'a problem' : `${issues.length} problems`}`,
      { issues },
    );
  return {
    schemaVersion: 1,
    title: plan.title ?? policy.title,
    queue,
    concurrency: plan.concurrency ?? null,
    timeoutMs: plan.timeout_seconds === undefined ? null : plan.timeout_seconds * 1000,
    agents,
    items,
  };
}

function freezeItem(
  item: PlanItem,
  executor: string,
  agent: { readonly hash: ContentHash; readonly definition: AgentDefinition },
  capabilities: FrozenItem['capabilities'],
  environments: readonly { readonly hash: ContentHash; readonly definition: EnvironmentDefinition }[],
  modelEndpoint: FrozenItem['modelEndpoint'],
  policy: FreezePolicy,
): FrozenItem {
  const { definition } = agent;
  const verify = item.verify ?? definition.verify;
  const wish = item.sandbox ?? {};
  const merged = mergeEnvironments(environments.map(({ definition }) => definition));
  return {
    id: item.id,
    title: item.title ?? item.id,
    executor,
    agent: { name: definition.name, hash: agent.hash },
    prompt: item.prompt ?? null,
    model: firstModel(
      item.model,
      definition.model,
      policy.defaultModel,
      modelEndpoint?.definition.default_model,
    ),
    ...(item.inputs?.workerInput === undefined ? {} : { input: item.inputs.workerInput }),
    capabilities,
    environments: environments.map(({ hash, definition }) => ({ name: definition.name, hash })),
    envNames: [...Object.keys(merged.values), ...Object.keys(merged.secretRefs)].sort(),
    secretRefs: Object.entries(merged.secretRefs).map(([name, ref]) => ({ name, ref })),
    ...(modelEndpoint === undefined ? {} : { modelEndpoint }),
    inputRefs: Object.entries(item.inputs?.inputRefs ?? {}).map(([key, ref]) => ({ key, ref })),
    dependsOn: dependenciesOf(item),
    locks: [...(item.resourceLocks ?? [])].sort(),
    needs: Object.entries(item.needs ?? {}).map(([key, need]) => ({ ...need, key })),
    pipeline: item.inputs?.pipeline ?? definition.pipeline ?? defaultPipeline(verify),
    ...(verify === undefined ? {} : { verify }),
    maxAttempts: item.retry?.max_attempts ?? limits.maxAttempts,
    backoffMs: item.retry?.backoff_ms ?? limits.retryBaseMs,
    timeoutMs: item.timeout_seconds === undefined ? limits.attemptMs : item.timeout_seconds * 1000,
    sandbox: {
      provider: policy.sandbox.name,
      isolation: policy.sandbox.isolation,
      network: wish.network === true && policy.allowNetwork,
      memory_bytes: wish.memory_mb === undefined ? limits.memoryBytes : wish.memory_mb * 1024 * 1024,
      processes: wish.processes ?? limits.processes,
      file_bytes: limits.fileBytes,
      output_bytes: wish.output_mb === undefined ? limits.outputBytes : wish.output_mb * 1024 * 1024,
    },
  };
}

function envNames(item: PlanItem): readonly string[] {
  const env = item.inputs?.env;
  return env === undefined ? [] : typeof env === 'string' ? [env] : env;
}

/** `capabilities` replaces the agent's own, `addCapabilities` appends with same names overriding (DI-070). */
async function freezeCapabilities(
  item: PlanItem,
  agent: AgentDefinition,
  at: string,
  resolve: (
    name: string,
    path: string,
  ) => Promise<{ readonly name: string; readonly hash: ContentHash } | undefined>,
): Promise<FrozenItem['capabilities']> {
  const replaced = item.inputs?.capabilities;
  const added = item.inputs?.addCapabilities ?? [];
  const named = [];
  for (const name of replaced ?? added) {
    const found = await resolve(
      name,
      `${at}.inputs.${replaced === undefined ? 'addCapabilities' : 'capabilities'}`,
    );
    if (found !== undefined) named.push({ name: found.name, hash: found.hash });
  }
  const names = new Set(named.map(({ name }) => name));
  const base = replaced === undefined ? agent.capabilities.filter((own) => !names.has(own.name)) : [];
  return [...base, ...named];
}

/** The endpoint an agent names, which has to speak what its harness speaks. */
async function freezeModelEndpoint(
  agent: AgentDefinition,
  at: string,
  issues: InputIssue[],
  resolve: (
    name: string,
    path: string,
  ) => Promise<{ readonly hash: ContentHash; readonly definition: ModelEndpointDefinition } | undefined>,
): Promise<FrozenItem['modelEndpoint']> {
  const named = 'model_endpoint' in agent.run ? agent.run.model_endpoint : undefined;
  if (named === undefined) return undefined;
  const found = await resolve(named, `${at}.model_endpoint`);
  if (found === undefined) return undefined;
  const { name, kind } = found.definition;
  const wires = HARNESS_WIRES[agent.run.harness] ?? [];
  if (!wires.includes(kind))
    issues.push({
      path: `${at}.model_endpoint`,
      message: `the harness ${agent.run.harness} speaks ${wires.join(' and ') || 'with no model'}, the model endpoint ${name} is ${kind}`,
    });
  return { name, ...found };
}

/** An agent written in place: the same kind of definition, named after its item and addressed by its content. */
function inlineAgent(item: PlanItem): { readonly hash: ContentHash; readonly definition: AgentDefinition } {
  const run = item.run ?? { harness: 'command' as const, command: item.command ?? '' };
  const definition: AgentDefinition = {
    schema_version: 1,
    name: item.id,
    system_prompt: null,
    prompt_template: null,
    model: null,
    run,
    capabilities: [],
  };
  return { hash: canonicalHash(definition), definition };
}
