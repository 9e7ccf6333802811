import * as z from 'zod';
import { AcpChoice, ClaudeCodeChoice, CodexChoice } from './coding-agent.ts';
import { limits } from './limits.ts';
import { ArgumentText, EnvName, Hash, Json, Name, NewName, ProgramText, RegistryRef } from './schema.ts';

/** One step of the deterministic `scripted` harness (DI-135). Steps run in order; the first failing step ends the agent. */
export const ScriptedStep = z.discriminatedUnion('do', [
  z.strictObject({
    do: z.literal('write'),
    path: z.string(),
    text: z.string(),
    executable: z.boolean().optional(),
  }),
  z.strictObject({ do: z.literal('append'), path: z.string(), text: z.string() }),
  z.strictObject({ do: z.literal('replace'), path: z.string(), find: z.string().min(1), with: z.string() }),
  z.strictObject({ do: z.literal('delete'), path: z.string() }),
  z.strictObject({ do: z.literal('say'), text: z.string() }),
  z.strictObject({
    do: z.literal('run'),
    command: ProgramText,
    timeout_ms: z.int().positive().optional(),
  }),
  z.strictObject({ do: z.literal('sleep'), ms: z.int().nonnegative() }),
  z.strictObject({
    do: z.literal('usage'),
    input_tokens: z.int().optional(),
    output_tokens: z.int().optional(),
    cost_usd: z.number().optional(),
    model: z.string().optional(),
  }),
  /**
   * Asks a person and ends the agent. Once that is answered, the steps up to here are not done again: the
   * workspace holds what they changed, and `inputs/answer.json` the answer.
   */
  z.strictObject({
    do: z.literal('ask'),
    question: z.string(),
    options: z.array(z.string()).optional(),
    context: z.string().optional(),
    partial_state: Json.optional(),
  }),
  z.strictObject({ do: z.literal('exit'), code: z.int().min(0).max(255) }),
]);
export type ScriptedStep = z.infer<typeof ScriptedStep>;

/** A self-check that runs after the agent and never fails the attempt by itself (DI-045, DI-124). */
export const Verify = z.strictObject({
  command: ProgramText,
  timeout_ms: z.int().positive().max(limits.attemptMs).optional(),
});
export type Verify = z.infer<typeof Verify>;

/** An observable property the workspace must have before the agent starts (DI-045, DI-108). */
export const ContextRequirement = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('paths'), glob: z.string().min(1), min_count: z.int().min(1).optional() }),
  z.strictObject({ kind: z.literal('exec'), bin: ProgramText }),
  z.strictObject({ kind: z.literal('git'), needs: z.enum(['worktree', 'history']) }),
]);
export type ContextRequirement = z.infer<typeof ContextRequirement>;

/** One that some workspace could meet: what never can be is refused when it is registered, not when it is run. */
const NewContextRequirement = ContextRequirement.superRefine((requirement, context) => {
  if (requirement.kind === 'exec' && requirement.bin.includes('/'))
    context.addIssue({
      code: 'custom',
      path: ['bin'],
      message: 'must be the name of a program, without a directory',
    });
  if (requirement.kind === 'paths' && !isWorkspaceGlob(requirement.glob))
    context.addIssue({
      code: 'custom',
      path: ['glob'],
      message: 'must be relative to the workspace, without empty, "." or ".." segments',
    });
});

function isWorkspaceGlob(glob: string): boolean {
  return glob
    .replace(/^\.\//, '')
    .split('/')
    .every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

/** Which program thinks inside the run, and its own settings. */
export const HarnessChoice = z.discriminatedUnion('harness', [
  z.strictObject({
    harness: z.literal('command'),
    command: z.union([ProgramText, z.array(ArgumentText).min(1)]),
  }),
  z.strictObject({ harness: z.literal('scripted'), steps: z.array(ScriptedStep) }),
  ClaudeCodeChoice,
  CodexChoice,
  AcpChoice,
]);
export type HarnessChoice = z.infer<typeof HarnessChoice>;

/** One block of a run's pipeline (DI-112). `seal` is appended by the runner and cannot be written. */
export const PipelineBlock = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('agent') }),
  z.strictObject({
    kind: z.literal('script'),
    command: ProgramText,
    timeout_ms: z.int().positive().max(limits.attemptMs).optional(),
    lens: z.enum(['gate', 'verify']).optional(),
  }),
  z.strictObject({ kind: z.literal('capture'), what: z.enum(['patch', 'outputs']) }),
]);
export type PipelineBlock = z.infer<typeof PipelineBlock>;

/** The blocks of a pipeline as somebody writes them. */
export const PipelineBlocks = z.array(PipelineBlock).min(1).max(64);

/** What a user registers as a pipeline (DI-052). */
export const PipelineInput = z.strictObject({
  name: NewName,
  blocks: PipelineBlocks,
  /** Credential patterns its commands may match (DI-048). */
  allow_credential_patterns: z.array(z.string()).optional(),
});
export type PipelineInput = z.infer<typeof PipelineInput>;

/** The immutable, content-addressed definition a pipeline name points at. */
export const PipelineDefinition = z.strictObject({
  schema_version: z.literal(1),
  name: Name,
  blocks: z.array(PipelineBlock),
});
export type PipelineDefinition = z.infer<typeof PipelineDefinition>;

/**
 * The pipeline of an agent that declares none (DI-113): the patch is captured before the self-check,
 * whose files can therefore not pollute it; outputs are captured last, so a check may leave some.
 */
export function defaultPipeline(verify: Verify | undefined): PipelineBlock[] {
  const check: PipelineBlock[] =
    verify === undefined ? [] : [{ kind: 'script', lens: 'verify', timeout_ms: limits.verifyMs, ...verify }];
  return [
    { kind: 'agent' },
    { kind: 'capture', what: 'patch' },
    ...check,
    { kind: 'capture', what: 'outputs' },
  ];
}

/** What a user registers as an agent (DI-043). Capabilities are named here and frozen to hashes at registration. */
export const AgentInput = z.strictObject({
  name: NewName,
  system_prompt: z.string().optional(),
  prompt_template: z.string().optional(),
  model: ArgumentText.optional(),
  run: HarnessChoice,
  capabilities: z.array(RegistryRef).optional(),
  verify: Verify.optional(),
  context_requires: z.array(NewContextRequirement).max(256).optional(),
  pipeline: PipelineBlocks.optional(),
  /** Credential patterns its texts may match (DI-048). */
  allow_credential_patterns: z.array(z.string()).optional(),
});
export type AgentInput = z.infer<typeof AgentInput>;

/** The immutable, content-addressed definition an agent name points at. */
export const AgentDefinition = z.strictObject({
  schema_version: z.literal(1),
  name: Name,
  system_prompt: z.string().nullable(),
  prompt_template: z.string().nullable(),
  model: z.string().nullable(),
  run: HarnessChoice,
  capabilities: z.array(z.strictObject({ name: Name, hash: Hash })),
  verify: Verify.optional(),
  context_requires: z.array(ContextRequirement).optional(),
  pipeline: z.array(PipelineBlock).optional(),
});
export type AgentDefinition = z.infer<typeof AgentDefinition>;

/** A secret to inject: a reference to a stored one, or a value to store now (write-only, DI-046). */
export const SecretInput = z.union([
  z.strictObject({ ref: z.string().min(1) }),
  z.strictObject({ inline: z.string().min(1), ttl_ms: z.int().nonnegative().optional() }),
]);
export type SecretInput = z.infer<typeof SecretInput>;

/** What a user registers as an environment (DI-046). */
export const EnvironmentInput = z.strictObject({
  name: NewName,
  values: z.record(EnvName, z.string()).optional(),
  secrets: z.record(EnvName, SecretInput).optional(),
  allow_credential_patterns: z.array(z.string()).optional(),
});
export type EnvironmentInput = z.infer<typeof EnvironmentInput>;

/** The immutable definition an environment name points at: values, and references to secrets, never secrets. */
export const EnvironmentDefinition = z.strictObject({
  schema_version: z.literal(1),
  name: Name,
  values: z.record(EnvName, z.string()),
  secrets: z.record(EnvName, z.strictObject({ ref: z.string() })),
});
export type EnvironmentDefinition = z.infer<typeof EnvironmentDefinition>;

/** What an agent left about money and tokens. Absent means unknown, never zero (FF-173). */
export const Usage = z.strictObject({
  models: z.array(z.string()).optional(),
  input_tokens: z.int().nonnegative().optional(),
  output_tokens: z.int().nonnegative().optional(),
  cost_usd: z.number().nonnegative().optional(),
  turns: z.int().nonnegative().optional(),
  duration_ms: z.int().nonnegative().optional(),
});
export type Usage = z.infer<typeof Usage>;
