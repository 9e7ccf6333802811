import type { SessionFacts } from './events.ts';
import { keptLine, keptText, LIMITS, MAX_ENTRIES } from './store/kept-text.ts';

/** Facts that the first record of them decides: a transcript may hold a copy of another's beginning. */
const FIRST = ['id', 'parent', 'agent', 'cwd', 'client', 'origin'] as const;
const LAST = ['title', 'modelProvider', 'model', 'version', 'branch', 'status', 'countedIn'] as const;

/** What is kept of a session besides its messages; every text in it is already redacted. */
export class SessionDraft {
  facts: Partial<Record<keyof SessionFacts, string>> = {};
  firstSaid: string | null = null;
  lastAnswer: string | null = null;
  createdAt: number | null = null;
  updatedAt: number | null = null;
  isTruncated = false;
  /** The last count of tokens; null when none was told. */
  soFar: string | null = null;
  /** Whether answers are told with the provider's ids: then counts tell of them again. */
  hasAnswerIds = false;
  /** Units of text that are kept. */
  characters = 0;
  readonly commands = new Set<string>();
  readonly tools = new Set<string>();
  readonly errors = new Set<string>();
  /** What was told last, by which it is known when it is told again with every record. */
  readonly #told = new Map<string, string>();

  tell(facts: { readonly [K in keyof SessionFacts]?: SessionFacts[K] | undefined }): void {
    for (const name of FIRST) {
      const value = facts[name];
      if (value !== undefined) this.facts[name] ??= keptText(value, LIMITS.path);
    }
    for (const name of LAST) {
      const value = facts[name];
      if (value === undefined || value === this.#told.get(name)) continue;
      this.#told.set(name, value);
      this.facts[name] = name === 'title' ? keptLine(value, LIMITS.title) : keptText(value, LIMITS.word);
    }
  }

  sawTime(at: number): void {
    this.createdAt = Math.min(this.createdAt ?? at, at);
    this.updatedAt = Math.max(this.updatedAt ?? at, at);
  }

  add(what: 'commands' | 'tools' | 'errors', entry: string): void {
    const known = this[what];
    if (known.size < MAX_ENTRIES[what]) known.add(entry);
  }

  get title(): string {
    return this.facts.title ?? keptLine(this.firstSaid ?? '', LIMITS.title);
  }

  /** As JSON, for {@link SessionDraft.from} when the file has grown. */
  toJSON(): unknown {
    return { ...this, commands: [...this.commands], tools: [...this.tools], errors: [...this.errors] };
  }

  static from(saved: unknown): SessionDraft {
    const draft = new SessionDraft();
    const { commands, tools, errors, ...rest } = saved as Record<'commands' | 'tools' | 'errors', string[]>;
    Object.assign(draft, rest);
    for (const entry of commands) draft.commands.add(entry);
    for (const entry of tools) draft.tools.add(entry);
    for (const entry of errors) draft.errors.add(entry);
    return draft;
  }
}
