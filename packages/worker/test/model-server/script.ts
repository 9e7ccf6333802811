/** One answer of a scripted model. */
export interface Turn {
  /** Text of the answer. */
  readonly say?: string;
  /** Tools the model calls: an object is the input of a function, a text that of a free-form tool. */
  readonly calls?: readonly { readonly name: string; readonly input: unknown }[];
  readonly usage?: { readonly input: number; readonly output: number };
  /** Milliseconds before every event of the stream. */
  readonly paceMs?: number;
  /**
   * What goes wrong: an HTTP status with an error body; `cut` ends the stream cleanly in the middle,
   * `reset` breaks the connection there, `silent` never answers at all.
   */
  readonly fault?: { readonly status: number; readonly message?: string } | 'cut' | 'reset' | 'silent';
}

/** A model's part: the answer after so many tool results, or what decides it. */
export type Script = readonly Turn[] | ((request: ModelRequest) => Turn);

/** A request as the model sees it. */
export interface ModelRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** Names of the offered tools; requests beside the work, such as one for a title, offer none. */
  readonly tools: readonly string[];
  /** Results of tools in the conversation so far. */
  readonly results: number;
  /** Everything the model is told, as one text. */
  readonly text: string;
}

/** The turn of a script that answers a request. */
export function turnFor(script: Script, request: ModelRequest): Turn {
  if (typeof script === 'function') return script(request);
  if (request.tools.length === 0) return { say: 'a title' };
  return script[Math.min(request.results, script.length - 1)] ?? {};
}

export const DEFAULT_USAGE = { input: 1_000, output: 50 };
