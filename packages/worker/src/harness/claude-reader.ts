import { type AgentSession, type HarnessEvent, truncateText, type Usage } from '@palisade/contracts';
import * as z from 'zod';
import type { AgentReader, AgentReport } from './agent-stream.ts';
import { toolTitle } from './tool-title.ts';

const count = z.int().nonnegative().optional().catch(undefined);
const Block = z.union([
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.unknown().optional(),
  }),
  z.looseObject({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    is_error: z.boolean().optional(),
    content: z.unknown().optional(),
  }),
]);
const Turn = z.looseObject({
  message: z.looseObject({ content: z.array(z.unknown()) }),
  parent_tool_use_id: z.string().nullish(),
});
const Init = z.looseObject({
  session_id: z.string(),
  claude_code_version: z.string().optional(),
});
const Retry = z.looseObject({
  subtype: z.literal('api_retry'),
  attempt: z.int(),
  max_retries: z.int(),
  error_status: z.int().optional().catch(undefined),
});
const ModelUsage = z.looseObject({
  inputTokens: count,
  outputTokens: count,
  cacheReadInputTokens: count,
  cacheCreationInputTokens: count,
});
const Result = z.looseObject({
  subtype: z.string(),
  is_error: z.boolean(),
  session_id: z.string().optional(),
  result: z.string().optional(),
  errors: z.array(z.string()).optional().catch(undefined),
  structured_output: z.unknown().optional(),
  num_turns: z.int().nonnegative().optional().catch(undefined),
  duration_ms: z.int().nonnegative().optional().catch(undefined),
  total_cost_usd: z.number().nonnegative().optional().catch(undefined),
  modelUsage: z.record(z.string(), ModelUsage).optional().catch(undefined),
  permission_denials: z
    .array(z.looseObject({ tool_name: z.string() }))
    .optional()
    .catch(undefined),
});
type Result = z.infer<typeof Result>;

const PROBLEM_CHARS = 500;

/** Reads Claude Code's `stream-json` (`claude -p --output-format stream-json --verbose`). */
export class ClaudeReader implements AgentReader {
  readonly #emit: (event: HarnessEvent) => void;
  /** Names of tools under the ids of their open calls. */
  readonly #tools = new Map<string, string>();
  #session: AgentSession | undefined;
  #result: Result | undefined;

  constructor(emit: (event: HarnessEvent) => void) {
    this.#emit = emit;
  }

  take(message: unknown): void {
    if (typeof message !== 'object' || message === null || !('type' in message)) return;
    switch (message.type) {
      case 'system':
        this.#begin(message);
        this.#retry(message);
        break;
      case 'assistant':
      case 'user':
        this.#turn(message);
        break;
      case 'result':
        this.#result = Result.safeParse(message).data ?? this.#result;
        break;
      default:
        break;
    }
  }

  report(): AgentReport {
    const result = this.#result;
    if (result === undefined) return { isComplete: false, problem: null, warnings: [], ...this.#known() };
    const denied = new Set((result.permission_denials ?? []).map(({ tool_name: name }) => name));
    return {
      isComplete: true,
      problem: result.is_error || result.subtype !== 'success' ? problemOf(result) : null,
      ...this.#known(),
      ...(result.result === undefined || result.result === '' ? {} : { summary: result.result }),
      usage: usageOf(result),
      ...(result.structured_output === undefined ? {} : { structured: result.structured_output }),
      warnings: denied.size === 0 ? [] : [`its permission denied the agent ${[...denied].sort().join(', ')}`],
    };
  }

  #known(): Pick<AgentReport, 'session'> {
    return this.#session === undefined ? {} : { session: this.#session };
  }

  #begin(message: object): void {
    const init =
      'subtype' in message && message.subtype === 'init' ? Init.safeParse(message).data : undefined;
    if (init === undefined) return;
    this.#session = {
      harness: 'claude-code',
      id: init.session_id.slice(0, 200),
      ...(init.claude_code_version === undefined ? {} : { version: init.claude_code_version.slice(0, 100) }),
    };
  }

  #retry(message: object): void {
    const retry = Retry.safeParse(message).data;
    if (retry === undefined) return;
    const why = retry.error_status === undefined ? 'could not be reached' : `answered ${retry.error_status}`;
    const text = `the model ${why}; try ${retry.attempt} of ${retry.max_retries} to reach it again`;
    this.#emit({ kind: 'message', text });
  }

  #turn(message: object): void {
    const turn = Turn.safeParse(message).data;
    if (turn === undefined) return;
    // What a subagent says is for the agent that asked it.
    const isMain = turn.parent_tool_use_id === null || turn.parent_tool_use_id === undefined;
    for (const each of turn.message.content) {
      const block = Block.safeParse(each).data;
      if (block === undefined) continue;
      if (block.type === 'text') {
        if (isMain && 'type' in message && message.type === 'assistant')
          this.#emit({ kind: 'message', text: block.text });
      } else if (block.type === 'tool_use') {
        this.#tools.set(block.id, block.name);
        this.#emit({ kind: 'tool', name: block.name, title: toolTitle(block.input) });
      } else {
        const name = this.#tools.get(block.tool_use_id) ?? 'tool';
        this.#tools.delete(block.tool_use_id);
        if (block.is_error === true)
          this.#emit({ kind: 'tool', name, title: `failed: ${toolTitle(block.content)}` });
      }
    }
  }
}

function problemOf(result: Result): string {
  const words = (result.errors ?? []).join('; ') || (result.is_error ? (result.result ?? '') : '');
  const kind =
    result.subtype === 'success' ? 'the agent reported an error' : result.subtype.replaceAll('_', ' ');
  return truncateText(words === '' ? kind : `${kind}: ${words}`, PROBLEM_CHARS);
}

/**
 * Counts of all models, those of subagents included; input counts what was read from caches and written
 * to them too. A count that is missing for one model is unknown for all (FF-173).
 */
function usageOf(result: Result): Usage {
  const models = Object.entries(result.modelUsage ?? {});
  const sum = (of: (usage: z.infer<typeof ModelUsage>) => number | undefined): number | undefined =>
    models.reduce<number | undefined>((total, [, usage]) => {
      const each = of(usage);
      return total === undefined || each === undefined ? undefined : total + each;
    }, 0);
  const input = sum(({ inputTokens, cacheReadInputTokens = 0, cacheCreationInputTokens = 0 }) =>
    inputTokens === undefined ? undefined : inputTokens + cacheReadInputTokens + cacheCreationInputTokens,
  );
  const output = sum(({ outputTokens }) => outputTokens);
  const isKnown = models.length > 0;
  return {
    ...(isKnown ? { models: models.map(([name]) => name) } : {}),
    ...(isKnown && input !== undefined ? { input_tokens: input } : {}),
    ...(isKnown && output !== undefined ? { output_tokens: output } : {}),
    ...(result.total_cost_usd === undefined ? {} : { cost_usd: result.total_cost_usd }),
    ...(result.num_turns === undefined ? {} : { turns: result.num_turns }),
    ...(result.duration_ms === undefined ? {} : { duration_ms: result.duration_ms }),
  };
}
