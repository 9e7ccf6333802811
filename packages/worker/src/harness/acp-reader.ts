import { type AgentSession, type HarnessEvent, truncateText, type Usage } from '@palisade/contracts';
import * as z from 'zod';
import type { AgentReader, AgentReport } from './agent-stream.ts';
import { toolTitle } from './tool-title.ts';

const count = z.int().nonnegative().optional().catch(undefined);
const Session = z.looseObject({
  id: z.string().min(1),
  agent: z.looseObject({ version: z.string().optional() }).nullish().catch(undefined),
});
const Said = z.looseObject({
  sessionUpdate: z.literal('agent_message_chunk'),
  content: z.looseObject({ type: z.literal('text'), text: z.string() }),
});
const Tool = z.looseObject({
  sessionUpdate: z.enum(['tool_call', 'tool_call_update']),
  toolCallId: z.string(),
  title: z.string().nullish(),
  kind: z.string().nullish(),
  status: z.string().nullish(),
  content: z.unknown().optional(),
});
const Cost = z.looseObject({
  sessionUpdate: z.literal('usage_update'),
  cost: z.looseObject({ amount: z.number().nonnegative(), currency: z.string() }),
});
const Denied = z.looseObject({ kind: z.string(), title: z.string().optional().catch(undefined) });
const End = z.looseObject({
  stop_reason: z.string(),
  usage: z.looseObject({ inputTokens: count, outputTokens: count }).optional().catch(undefined),
});
const Failed = z.looseObject({ message: z.string() });

const PROBLEM_CHARS = 500;
const MAX_WARNINGS = 16;

/** Reads what `launch/acp-client.mjs` tells of an agent. */
export class AcpReader implements AgentReader {
  readonly #emit: (event: HarnessEvent) => void;
  readonly #model: string | null;
  /** Kinds of tools under the ids of their calls. */
  readonly #tools = new Map<string, string>();
  readonly #denied = new Set<string>();
  #session: AgentSession | undefined;
  /** What it has said since the last tool, and how much of it has been shown. */
  #words = '';
  #shown = 0;
  #said: string | undefined;
  #turns = 0;
  #cost: number | undefined;
  #usage: Usage | undefined;
  #problem: string | null = null;
  #isComplete = false;

  /** @param model that was asked for; the protocol does not name it */
  constructor(emit: (event: HarnessEvent) => void, model: string | null) {
    this.#emit = emit;
    this.#model = model;
  }

  take(message: unknown): void {
    if (typeof message !== 'object' || message === null || !('type' in message)) return;
    switch (message.type) {
      case 'session':
        this.#begin(message);
        break;
      case 'update':
        if ('update' in message) this.#update(message.update);
        break;
      case 'lull':
        this.#showWords();
        break;
      case 'denied': {
        const denied = Denied.safeParse(message).data;
        if (denied === undefined) return;
        if (this.#denied.size < MAX_WARNINGS) this.#denied.add(denied.kind);
        this.#emit({ kind: 'tool', name: denied.kind, title: `denied: ${toolTitle(denied.title)}` });
        break;
      }
      case 'end':
        this.#end(message);
        break;
      case 'failed':
        this.#isComplete = true;
        this.#problem = truncateText(
          Failed.safeParse(message).data?.message ?? 'an error it does not describe',
          PROBLEM_CHARS,
        );
        break;
      default:
        break;
    }
  }

  report(): AgentReport {
    this.#finishWords();
    const denied = [...this.#denied].sort().join(', ');
    return {
      isComplete: this.#isComplete,
      problem: this.#problem,
      ...(this.#said === undefined ? {} : { summary: this.#said }),
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      ...(this.#session === undefined ? {} : { session: this.#session }),
      warnings: denied === '' ? [] : [`its permission denied the agent tools of the kind ${denied}`],
    };
  }

  #begin(message: object): void {
    const session = Session.safeParse(message).data;
    if (session === undefined) return;
    const version = session.agent?.version?.slice(0, 100);
    this.#session = {
      harness: 'acp',
      id: session.id.slice(0, 200),
      ...(version === undefined ? {} : { version }),
    };
  }

  #update(value: unknown): void {
    const said = Said.safeParse(value).data;
    if (said !== undefined) {
      this.#words += said.content.text;
      return;
    }
    const cost = Cost.safeParse(value).data?.cost;
    if (cost?.currency === 'USD') this.#cost = cost.amount;
    const tool = Tool.safeParse(value).data;
    if (tool === undefined) return;
    this.#finishWords();
    const name = tool.kind ?? this.#tools.get(tool.toolCallId) ?? 'tool';
    this.#tools.set(tool.toolCallId, name);
    if (tool.sessionUpdate === 'tool_call') this.#emit({ kind: 'tool', name, title: toolTitle(tool.title) });
    if (tool.status === 'failed')
      this.#emit({ kind: 'tool', name, title: `failed: ${toolTitle(tool.content)}` });
    if (tool.status === 'failed' || tool.status === 'completed') this.#tools.delete(tool.toolCallId);
  }

  /** Words come in pieces without an end; a tool, or the end, ends them. */
  #finishWords(): void {
    this.#showWords();
    const text = this.#words.trim();
    this.#words = '';
    this.#shown = 0;
    if (text === '') return;
    this.#said = text;
    this.#turns++;
  }

  #showWords(): void {
    const text = this.#words.slice(this.#shown).trim();
    this.#shown = this.#words.length;
    if (text !== '') this.#emit({ kind: 'message', text });
  }

  #end(message: object): void {
    const end = End.safeParse(message).data;
    if (end === undefined) return;
    this.#finishWords();
    this.#isComplete = true;
    if (end.stop_reason !== 'end_turn')
      this.#problem = `it stopped early: ${truncateText(end.stop_reason, 100)}`;
    const { inputTokens, outputTokens } = end.usage ?? {};
    this.#usage = {
      ...(this.#model === null ? {} : { models: [this.#model] }),
      ...(inputTokens === undefined ? {} : { input_tokens: inputTokens }),
      ...(outputTokens === undefined ? {} : { output_tokens: outputTokens }),
      ...(this.#cost === undefined ? {} : { cost_usd: this.#cost }),
      turns: this.#turns,
    };
  }
}
