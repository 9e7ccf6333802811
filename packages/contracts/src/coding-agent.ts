import * as z from 'zod';
import type { ModelWire } from './model-endpoint.ts';
import { ArgumentText, EnvName, ProgramText, RegistryRef } from './schema.ts';

/*
 * Settings of the coding agents of other vendors. Nobody is there to be asked for leave while one works, so what
 * its permission does not cover is denied to it. A value that is not listed here is refused, never
 * taken for a wider one (DI-133).
 */

/** It is one word of a command line, and a word has a limit. */
const MAX_SCHEMA_CHARS = 65_536;

/** The wires each of these harnesses speaks with its model. */
export const HARNESS_WIRES: Readonly<Record<string, readonly ModelWire[] | undefined>> = {
  'claude-code': ['anthropic'],
  codex: ['openai'],
  // Its operator chose a program that speaks what its endpoint does.
  acp: ['anthropic', 'openai'],
};

/** True for a harness whose agent reads a prompt and thinks. */
export function isCodingAgent(harness: string): boolean {
  return Object.hasOwn(HARNESS_WIRES, harness);
}

/** A tool as Claude Code names it, with an optional pattern: `Bash(npm test:*)`, `mcp__tracker__search`. */
const ToolPattern = z
  .string()
  .max(512)
  .regex(/^[A-Za-z][A-Za-z0-9_-]*(\([^()\p{Cc}]*\))?$/u, 'must be a tool name, with an optional (pattern)');

/** A JSON Schema the agent's final answer has to meet. */
const ResultSchema = z
  .looseObject({ type: z.literal('object') })
  .refine((schema) => JSON.stringify(schema).length <= MAX_SCHEMA_CHARS, 'must be at most 64 KiB of JSON');

const common = {
  /** The model endpoint to use, by its registered name. Without one the agent has only what its environment gives it. */
  model_endpoint: RegistryRef.optional(),
  /** Absolute path of the vendor's program; by default it is looked for on PATH. Only a registered agent may name it. */
  program: ProgramText.startsWith('/').optional(),
  /** A retry goes on in the vendor's session of the attempt before. */
  resume: z.boolean().optional(),
  /** False: the agent is not told how it can ask a person (DI-120). */
  may_ask: z.boolean().optional(),
  /** Lets the repository's own settings, hooks and servers for the agent count (FF-128). */
  trust_repository: z.boolean().optional(),
  /** The final answer as JSON of this schema, left as `outputs/result.json`. */
  result_schema: ResultSchema.optional(),
};

/**
 * `bypass`: everything is allowed, the sandbox is the boundary. `accept-edits`: edits of files of the
 * workspace and what `allowed_tools` lists. `strict`: what `allowed_tools` lists. `plan`: reading only.
 * Default is `bypass`, or `strict` when `allowed_tools` is given.
 */
export const ClaudePermission = z.enum(['bypass', 'accept-edits', 'strict', 'plan']);

export const ClaudeCodeChoice = z
  .strictObject({
    harness: z.literal('claude-code'),
    ...common,
    permission: ClaudePermission.optional(),
    allowed_tools: z.array(ToolPattern).min(1).max(256).optional(),
    max_turns: z.int().min(1).max(10_000).optional(),
    /** US dollars by the vendor's list price, after which the agent stops. */
    max_cost_usd: z.number().positive().max(1_000_000).optional(),
    /** Which credential of its environment counts when it has no model endpoint (DI-063). */
    auth: z.enum(['subscription', 'api-key']).optional(),
  })
  .refine(({ permission, allowed_tools: tools }) => permission !== 'bypass' || tools === undefined, {
    path: ['allowed_tools'],
    message: 'limits nothing with permission bypass: choose accept-edits or strict',
  });
export type ClaudeCodeChoice = z.infer<typeof ClaudeCodeChoice>;

/**
 * `bypass`: everything is allowed, the sandbox is the boundary. `accept-edits`: writes below the workspace
 * only, enforced by Codex's own sandbox. `strict`: reading only.
 */
export const CodexPermission = z.enum(['bypass', 'accept-edits', 'strict']);

export const CodexChoice = z.strictObject({
  harness: z.literal('codex'),
  ...common,
  permission: CodexPermission.optional(),
});
export type CodexChoice = z.infer<typeof CodexChoice>;

/**
 * What the agent asks leave for. `bypass`: everything is allowed. `accept-edits`: reading, searching and changing
 * files. `strict`: nothing. It is the agent that asks or does not; the sandbox is the boundary.
 */
export const AcpPermission = z.enum(['bypass', 'accept-edits', 'strict']);

/** Any agent that speaks the Agent Client Protocol, version 1, on its standard streams. */
export const AcpChoice = z.strictObject({
  harness: z.literal('acp'),
  /** Absolute path. Only a registered agent may name it. */
  program: ProgramText.startsWith('/'),
  /** `{{model_url}}` stands for the model's base address without a version, `{{model}}` for its name. */
  args: z
    .array(ArgumentText.refine((text) => !text.includes('{{model_key}}'), 'must not hold a credential'))
    .max(64)
    .optional(),
  model_endpoint: common.model_endpoint,
  /** Variables besides its environment's own, in which `{{model_key}}` stands for the credential as well. */
  model_env: z.record(EnvName, ProgramText.max(1_024)).optional(),
  permission: AcpPermission.optional(),
  /** A mode of the agent's own to work in; without it the agent fails. */
  mode: z.string().min(1).max(200).optional(),
});
export type AcpChoice = z.infer<typeof AcpChoice>;
