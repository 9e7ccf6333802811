import * as z from 'zod';
import { ContextRequirement, PipelineBlock, Verify } from './agent.ts';
import { Hash, Name } from './schema.ts';

/**
 * What an agent is: how it is run, on what, and what its work is held to. Of its prompts only how long they are, in bytes; never what
 * they say (DI-049).
 */
export const AgentView = z.strictObject({
  harness: z.string(),
  command: z.union([z.string(), z.array(z.string())]).optional(),
  model_endpoint: z.string().optional(),
  model: z.string().optional(),
  capabilities: z.array(z.strictObject({ name: Name, hash: Hash })),
  verify: Verify.optional(),
  context_requires: z.array(ContextRequirement).optional(),
  pipeline: z.array(PipelineBlock).optional(),
  system_prompt_bytes: z.int().nonnegative().optional(),
  prompt_template_bytes: z.int().nonnegative().optional(),
});
export type AgentView = z.infer<typeof AgentView>;
