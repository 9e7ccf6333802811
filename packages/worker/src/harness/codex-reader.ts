import { type AgentSession, type HarnessEvent, truncateText, type Usage } from '@palisade/contracts';
import * as z from 'zod';
import type { AgentReader, AgentReport } from './agent-stream.ts';
import { toolTitle } from './tool-title.ts';

const Thread = z.looseObject({ thread_id: z.string().min(1) });
const Completed = z.looseObject({
  usage: z.looseObject({
    input_tokens: z.int().nonnegative().optional(),
    output_tokens: z.int().nonnegative().optional(),
  }),
});
const Failed = z
  .union([
    z.looseObject({ error: z.looseObject({ message: z.string() }) }).transform(({ error }) => error.message),
    z.looseObject({ message: z.string() }).transform(({ message }) => message),
  ])
  .catch('an error it does not describe');
const Item = z.looseObject({ id: z.string(), type: z.string() });
const Say = z.looseObject({ text: z.string() });
const Command = z.looseObject({
  command: z.string(),
  exit_code: z.int().nullish(),
  aggregated_output: z.string().catch(''),
});
const Changes = z.looseObject({
  changes: z.array(z.looseObject({ path: z.string(), kind: z.string() })),
  status: z.string().optional(),
});
const Notice = z.looseObject({ message: z.string() });

const PROBLEM_CHARS = 500;

/** Reads Codex's event lines (`codex exec --json`). */
export class CodexReader implements AgentReader {
  readonly #emit: (event: HarnessEvent) => void;
  readonly #model: string | null;
  readonly #isStructured: boolean;
  #session: AgentSession | undefined;
  #said: string | undefined;
  #usage: Usage | undefined;
  #turns = 0;
  #problem: string | null = null;
  #isComplete = false;
  readonly #warnings = new Set<string>();

  /**
   * @param model that was asked for; the stream does not name it
   * @param isStructured the last message is the answer to a schema
   */
  constructor(emit: (event: HarnessEvent) => void, model: string | null, isStructured: boolean) {
    this.#emit = emit;
    this.#model = model;
    this.#isStructured = isStructured;
  }

  take(message: unknown): void {
    if (typeof message !== 'object' || message === null || !('type' in message)) return;
    switch (message.type) {
      case 'thread.started': {
        const id = Thread.safeParse(message).data?.thread_id;
        if (id !== undefined) this.#session = { harness: 'codex', id: id.slice(0, 200) };
        break;
      }
      case 'item.started':
      case 'item.completed':
        if ('item' in message) this.#item(message.item, message.type === 'item.completed');
        break;
      case 'turn.completed':
        this.#end(message);
        break;
      case 'turn.failed':
      case 'error':
        this.#fail(message, message.type === 'turn.failed');
        break;
      default:
        break;
    }
  }

  report(): AgentReport {
    const structured = this.#isStructured ? parsed(this.#said) : undefined;
    return {
      isComplete: this.#isComplete,
      problem: this.#problem,
      ...(this.#said === undefined ? {} : { summary: this.#said }),
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      ...(this.#session === undefined ? {} : { session: this.#session }),
      ...(structured === undefined ? {} : { structured }),
      warnings: [...this.#warnings],
    };
  }

  #item(value: unknown, isOver: boolean): void {
    const item = Item.safeParse(value).data;
    if (item === undefined) return;
    switch (item.type) {
      case 'agent_message': {
        const say = isOver ? Say.safeParse(item).data : undefined;
        if (say === undefined) return;
        this.#said = say.text;
        this.#turns++;
        this.#emit({ kind: 'message', text: say.text });
        break;
      }
      case 'command_execution':
        this.#command(item, isOver);
        break;
      case 'file_change': {
        const change = isOver ? Changes.safeParse(item).data : undefined;
        if (change === undefined) return;
        const title = change.changes.map(({ kind, path }) => `${kind} ${path}`).join(', ');
        const failed = change.status === 'failed' ? 'failed: ' : '';
        this.#emit({ kind: 'tool', name: 'patch', title: `${failed}${toolTitle(title)}` });
        break;
      }
      case 'error': {
        const notice = Notice.safeParse(item).data;
        if (notice !== undefined && this.#warnings.size < 16)
          this.#warnings.add(truncateText(notice.message, PROBLEM_CHARS));
        break;
      }
      case 'reasoning':
      case 'todo_list':
        break;
      default:
        if (!isOver) this.#emit({ kind: 'tool', name: item.type, title: otherTitle(item) });
    }
  }

  #command(item: unknown, isOver: boolean): void {
    const command = Command.safeParse(item).data;
    if (command === undefined) return;
    if (!isOver) this.#emit({ kind: 'tool', name: 'shell', title: toolTitle(command.command) });
    else if (command.exit_code !== 0) {
      const title = `failed with ${command.exit_code ?? 'no status'}: ${command.aggregated_output}`;
      this.#emit({ kind: 'tool', name: 'shell', title: toolTitle(title) });
    }
  }

  #end(message: object): void {
    this.#isComplete = true;
    const usage = Completed.safeParse(message).data?.usage;
    this.#usage = {
      ...(this.#model === null ? {} : { models: [this.#model] }),
      ...(usage?.input_tokens === undefined ? {} : { input_tokens: usage.input_tokens }),
      ...(usage?.output_tokens === undefined ? {} : { output_tokens: usage.output_tokens }),
      turns: this.#turns,
    };
  }

  /** Errors before the last are told while Codex tries again; only a failed turn is the end. */
  #fail(message: object, isEnd: boolean): void {
    const text = Failed.parse(message);
    if (isEnd) {
      this.#isComplete = true;
      this.#problem = truncateText(text, PROBLEM_CHARS);
    } else this.#emit({ kind: 'message', text });
  }
}

/** A kind of work this reader knows nothing of, by the members other kinds have. */
function otherTitle(item: z.infer<typeof Item>): string {
  const named = [item['server'], item['tool']].filter((each) => typeof each === 'string');
  return toolTitle([...named, item['arguments'] ?? item['query'] ?? '']);
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}
