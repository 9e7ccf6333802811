import {
  type AgentDefinition,
  budgetFacts,
  type ContentHash,
  canonicalHash,
  defaultPipeline,
  type EnvironmentDefinition,
  firstModel,
  HARNESS_WIRES,
  type InputIssue,
  isPalisadeError,
  limits,
  microUsd,
  type PipelineBlock,
  type PipelineDefinition,
  type PlanItem,
  type PlanTemplate,
} from '@palisade/contracts';
import { mergeEnvironments } from '../registry/environments/environment.ts';
import type { FrozenItem, ItemTemplate } from './frozen-plan.ts';
import type { FreezePolicy, NameResolver } from './freeze-policy.ts';
import { captures, lacksResult } from './validate-work.ts';

type Work = PlanItem | PlanTemplate;
type Resolved<T> = { readonly hash: ContentHash; readonly definition: T };

/** What a work's names turned out to be. */
interface ResolvedWork {
  readonly executor: string;
  readonly agent: Resolved<AgentDefinition>;
  readonly capabilities: FrozenItem['capabilities'];
  readonly environments: readonly Resolved<EnvironmentDefinition>[];
  readonly modelEndpoint: FrozenItem['modelEndpoint'];
  readonly shape: FrozenItem['shape'];
  /** What it says in place of its agent's, and the registered pipeline that is. */
  readonly pipeline: { readonly blocks?: readonly PipelineBlock[]; readonly ref?: FrozenItem['pipelineRef'] };
}

/**
 * Resolves what items and templates name, and holds their wishes against the operator's ceiling: the same for
 * both, because a template is an item that is made later. Problems go to `issues`, each with its place; agents
 * that were met are in `agents`.
 */
export class WorkFreezer {
  readonly issues: InputIssue[] = [];
  readonly agents: Record<ContentHash, AgentDefinition> = {};
  /** Registered pipelines that were met, by what the plan calls them. */
  readonly pipelines = new Map<string, PipelineDefinition>();
  readonly #resolver: NameResolver;
  readonly #policy: FreezePolicy;
  readonly #memo = new Map<string, Promise<unknown>>();

  constructor(resolver: NameResolver, policy: FreezePolicy) {
    this.#resolver = resolver;
    this.#policy = policy;
  }

  get sandbox(): FreezePolicy['sandbox'] {
    return this.#policy.sandbox;
  }

  /** Undefined when its agent is unknown, which is an issue then. `name` is what an agent written in place is called. */
  async freeze(work: Work, name: string, at: string): Promise<ItemTemplate | undefined> {
    const executor = work.executor ?? 'local';
    if (!this.#policy.executors.has(executor))
      this.issues.push({ path: `${at}.executor`, message: `unknown executor "${executor}"` });
    if (work.sandbox?.network === true && !this.#policy.allowNetwork) {
      this.issues.push({
        path: `${at}.sandbox.network`,
        message: 'the plan asks for the network and the operator has not allowed it (--allow-network)',
      });
    }
    const registered = work.agent ?? work.inputs?.subagent;
    const agent =
      registered === undefined
        ? inlineAgent(work, name)
        : await this.#once(
            `agent:${registered}`,
            () => this.#resolver.agent(registered),
            work.agent === undefined ? `${at}.inputs.subagent` : `${at}.agent`,
          );
    if (agent === undefined) return undefined;
    this.agents[agent.hash] = agent.definition;
    const capabilities = await this.#capabilities(work, agent.definition, at);
    const environments = [];
    for (const env of envNames(work)) {
      const found = await this.#once(`env:${env}`, () => this.#resolver.environment(env), `${at}.inputs.env`);
      if (found !== undefined) environments.push(found);
    }
    const modelEndpoint = await this.#modelEndpoint(agent.definition, at);
    const shape = this.#policy.shapes.frozen(work.shape);
    const isCoder = agent.definition.run.harness !== 'command' && agent.definition.run.harness !== 'scripted';
    if (shape?.permissions.model === false && isCoder)
      this.issues.push({
        path: `${at}.shape`,
        message: `${shape.id} is ${shape.effect}, and the harness ${agent.definition.run.harness} asks a model`,
      });
    const pipeline = await this.#pipeline(work, at);
    // What the plan itself says is checked where the whole plan is.
    const own = work.inputs?.pipeline === undefined ? agent.definition.pipeline : undefined;
    if (shape?.result !== undefined && own !== undefined && !captures(own, 'outputs'))
      this.issues.push({ path: `${at}.shape`, message: lacksResult(shape.id) });
    return this.#work(work, {
      executor,
      agent,
      capabilities,
      environments,
      modelEndpoint,
      shape,
      pipeline,
    });
  }

  #work(
    work: Work,
    { executor, agent, capabilities, environments, modelEndpoint, shape, pipeline }: ResolvedWork,
  ): ItemTemplate {
    const { definition } = agent;
    const verify = work.verify ?? definition.verify;
    const wish = work.sandbox ?? {};
    // What the vendor's own program is told to stop at is what an attempt may cost.
    const told = 'max_cost_usd' in definition.run ? definition.run.max_cost_usd : undefined;
    const mostCost = work.max_cost_usd ?? told;
    const merged = mergeEnvironments(environments.map(({ definition }) => definition));
    const { sandbox, allowNetwork, defaultModel } = this.#policy;
    return {
      title: work.title ?? '',
      executor,
      agent: { name: definition.name, hash: agent.hash },
      ...(shape === undefined ? {} : { shape }),
      prompt: work.prompt ?? null,
      model: firstModel(work.model, definition.model, defaultModel, modelEndpoint?.definition.default_model),
      ...(work.inputs?.workerInput === undefined ? {} : { input: work.inputs.workerInput }),
      capabilities,
      environments: environments.map(({ hash, definition }) => ({ name: definition.name, hash })),
      envNames: [...Object.keys(merged.values), ...Object.keys(merged.secretRefs)].sort(),
      secretRefs: Object.entries(merged.secretRefs).map(([name, ref]) => ({ name, ref })),
      ...(modelEndpoint === undefined ? {} : { modelEndpoint }),
      inputRefs: Object.entries(work.inputs?.inputRefs ?? {}).map(([key, ref]) => ({ key, ref })),
      locks: [...(work.resourceLocks ?? [])].sort(),
      pipeline: pipeline.blocks ?? definition.pipeline ?? defaultPipeline(verify),
      ...(pipeline.ref === undefined ? {} : { pipelineRef: pipeline.ref }),
      ...(verify === undefined ? {} : { verify }),
      maxAttempts: work.retry?.max_attempts ?? limits.maxAttempts,
      backoffMs: work.retry?.backoff_ms ?? limits.retryBaseMs,
      timeoutMs: work.timeout_seconds === undefined ? limits.attemptMs : work.timeout_seconds * 1000,
      ...(work.budget === undefined ? {} : { budget: budgetFacts(work.budget) }),
      ...(mostCost === undefined ? {} : { maxCostMicroUsd: microUsd(mostCost) }),
      ...(work.channel === true ? { channel: true as const } : {}),
      sandbox: {
        provider: sandbox.name,
        isolation: sandbox.isolation,
        network: wish.network === true && allowNetwork && shape?.permissions.network !== false,
        memory_bytes: wish.memory_mb === undefined ? limits.memoryBytes : wish.memory_mb * 1024 * 1024,
        ...(wish.cpus === undefined ? {} : { cpus: wish.cpus }),
        processes: wish.processes ?? limits.processes,
        file_bytes: limits.fileBytes,
        ...(wish.disk_mb === undefined ? {} : { disk_bytes: wish.disk_mb * 1024 * 1024 }),
        ...(wish.files === undefined ? {} : { disk_files: wish.files }),
        output_bytes: wish.output_mb === undefined ? limits.outputBytes : wish.output_mb * 1024 * 1024,
      },
    };
  }

  /** `capabilities` replaces the agent's own, `addCapabilities` appends with same names overriding (DI-070). */
  async #capabilities(work: Work, agent: AgentDefinition, at: string): Promise<FrozenItem['capabilities']> {
    const replaced = work.inputs?.capabilities;
    const added = work.inputs?.addCapabilities ?? [];
    const path = `${at}.inputs.${replaced === undefined ? 'addCapabilities' : 'capabilities'}`;
    const named = [];
    for (const name of replaced ?? added) {
      const found = await this.#once(`capability:${name}`, () => this.#resolver.capability(name), path);
      if (found !== undefined) named.push({ name: found.name, hash: found.hash });
    }
    const names = new Set(named.map(({ name }) => name));
    const base = replaced === undefined ? agent.capabilities.filter((own) => !names.has(own.name)) : [];
    return [...base, ...named];
  }

  async #pipeline(work: Work, at: string): Promise<ResolvedWork['pipeline']> {
    const stated = work.inputs?.pipeline;
    if (stated === undefined) return {};
    if (typeof stated !== 'string') return { blocks: stated };
    const path = `${at}.inputs.pipeline`;
    const found = await this.#once(`pipeline:${stated}`, () => this.#resolver.pipeline(stated), path);
    if (found === undefined) return {};
    const { hash, definition } = found;
    this.pipelines.set(stated, definition);
    return { blocks: definition.blocks, ref: { name: definition.name, hash } };
  }

  /** The endpoint an agent names, which has to speak what its harness speaks. */
  async #modelEndpoint(agent: AgentDefinition, at: string): Promise<FrozenItem['modelEndpoint']> {
    const named = 'model_endpoint' in agent.run ? agent.run.model_endpoint : undefined;
    if (named === undefined) return undefined;
    const path = `${at}.model_endpoint`;
    const found = await this.#once(
      `model-endpoint:${named}`,
      () => this.#resolver.modelEndpoint(named),
      path,
    );
    if (found === undefined) return undefined;
    const { name, kind } = found.definition;
    const wires = HARNESS_WIRES[agent.run.harness] ?? [];
    if (!wires.includes(kind))
      this.issues.push({
        path,
        message: `the harness ${agent.run.harness} speaks ${wires.join(' and ') || 'with no model'}, the model endpoint ${name} is ${kind}`,
      });
    return { name, ...found };
  }

  /** A name means one thing in the whole plan, and is looked up once; an unknown one is an issue. */
  async #once<T>(key: string, look: () => Promise<T>, path: string): Promise<T | undefined> {
    let found = this.#memo.get(key);
    if (found === undefined) {
      found = look();
      found.catch(() => {});
      this.#memo.set(key, found);
    }
    try {
      return (await found) as T;
    } catch (error) {
      if (!isPalisadeError(error, 'not_found')) throw error;
      this.issues.push({ path, message: error.message });
      return undefined;
    }
  }
}

function envNames(work: Work): readonly string[] {
  const env = work.inputs?.env;
  return env === undefined ? [] : typeof env === 'string' ? [env] : env;
}

/** An agent written in place: the same kind of definition, addressed by its content. */
function inlineAgent(work: Work, name: string): Resolved<AgentDefinition> {
  const run = work.run ?? { harness: 'command' as const, command: work.command ?? '' };
  const definition: AgentDefinition = {
    schema_version: 1,
    name,
    system_prompt: null,
    prompt_template: null,
    model: null,
    run,
    capabilities: [],
  };
  return { hash: canonicalHash(definition), definition };
}
