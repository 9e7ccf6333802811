import {
  AgentDefinition,
  type AgentInput,
  type AgentView,
  type ContentHash,
  PalisadeError,
  type StaleBinding,
} from '@palisade/contracts';
import { assertNoCredentialsWithin } from '../credential-scan.ts';

/** A capability as an agent is bound to it. */
export type Binding = AgentDefinition['capabilities'][number];

/**
 * The immutable definition of an agent, bound to the content its capabilities have now (DI-043, DI-044).
 * Optional members are present only when set, so that a definition's address does not depend on the
 * version that wrote it. Capabilities stay in the order given: bundles are overlaid in it (DI-105).
 */
export function agentDefinition(input: AgentInput, capabilities: readonly Binding[]): AgentDefinition {
  const { name, system_prompt, prompt_template, model, run, verify, context_requires, pipeline } = input;
  return {
    schema_version: 1,
    name,
    system_prompt: system_prompt ?? null,
    prompt_template: prompt_template ?? null,
    model: model ?? null,
    run,
    capabilities: [...capabilities],
    ...(verify === undefined ? {} : { verify }),
    ...(context_requires === undefined ? {} : { context_requires }),
    ...(pipeline === undefined ? {} : { pipeline }),
  };
}

/** Raises `invalid_input` when a capability is named twice: its files would be overlaid over themselves. */
export function assertDistinctCapabilities(names: readonly string[]): void {
  const repeated = names.find((name, i) => names.indexOf(name) !== i);
  if (repeated !== undefined)
    throw new PalisadeError('invalid_input', `the capability ${repeated} is listed twice`, {
      issues: [{ path: 'capabilities', message: `lists ${repeated} twice` }],
    });
}

/** Raises `credential_in_text` when any text of an agent, wherever it is in its settings, looks like a credential. */
export function scanAgent(input: AgentInput): void {
  const { allow_credential_patterns: allowed = [], ...texts } = input;
  assertNoCredentialsWithin(`agent:${input.name}`, texts, allowed);
}

/** The bindings of an agent whose capability has other content now (DI-044). */
export function staleBindings(
  { hash, definition }: { readonly hash: ContentHash; readonly definition: AgentDefinition },
  latest: ReadonlyMap<string, Binding>,
): StaleBinding[] {
  return definition.capabilities.flatMap((bound) => {
    const now = latest.get(bound.name)?.hash;
    return now === undefined || now === bound.hash
      ? []
      : [
          {
            agent: definition.name,
            agent_hash: hash,
            capability: bound.name,
            bound: bound.hash,
            latest: now,
          },
        ];
  });
}

/** What is shown of a definition (DI-049). */
export function agentView(definition: AgentDefinition): AgentView {
  const { run, model, capabilities, verify, system_prompt: system, prompt_template: prompt } = definition;
  const { context_requires: requires, pipeline } = definition;
  const endpoint = 'model_endpoint' in run ? run.model_endpoint : undefined;
  return {
    harness: run.harness,
    ...(run.harness === 'command' ? { command: run.command } : {}),
    ...(endpoint === undefined ? {} : { model_endpoint: endpoint }),
    ...(model === null ? {} : { model }),
    capabilities,
    ...(verify === undefined ? {} : { verify }),
    ...(requires === undefined ? {} : { context_requires: requires }),
    ...(pipeline === undefined ? {} : { pipeline }),
    ...(system === null ? {} : { system_prompt_bytes: Buffer.byteLength(system) }),
    ...(prompt === null ? {} : { prompt_template_bytes: Buffer.byteLength(prompt) }),
  };
}
