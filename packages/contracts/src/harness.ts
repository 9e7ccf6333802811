import type { HarnessChoice, Usage } from './agent.ts';
import type { AgentSession, SessionSpent } from './events.ts';
import type { ModelCredential, ModelLevel, ModelWire } from './model-endpoint.ts';
import type { ExecResult, Sandbox } from './sandbox.ts';

/*
 * The harness seam: the program that thinks inside a run. A harness gets a workspace, an
 * environment and a deadline; it never gets control-plane credentials. It works only through the
 * sandbox it is given.
 */

/** What a harness needs to know before there is a sandbox. */
export interface HarnessRequest {
  readonly settings: HarnessChoice;
  /** PATH of the worker, on which programs are looked for. */
  readonly path: string;
  /** The agent is given a prompt or a system prompt. */
  readonly hasPrompt: boolean;
}

/** What a harness needs of the sandbox. */
export interface HarnessNeeds {
  /** Host paths its program consists of; seen read-only at the same place. */
  readonly readOnlyPaths: readonly string[];
}

/** A vendor's session as an earlier attempt left it. */
export interface ResumedSession {
  /** Letters, digits, `-` and `_`; starts with a letter or digit. */
  readonly id: string;
  /** Its files, by their path below the directory the harness named. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** What earlier attempts used in it, where they told: vendors count a session as a whole. */
  readonly spent?: SessionSpent;
}

/** The way from inside a sandbox to the one model an attempt may use. */
export interface ModelAccess {
  readonly wire: ModelWire;
  readonly credential: ModelCredential;
  /**
   * A unix socket at this place of the sandbox speaks HTTP in that wire. The path may be longer than a
   * socket's address can be: connect from its directory.
   */
  readonly socketPath: string;
  /** What the program takes for its credential. It is worth nothing anywhere else. */
  readonly placeholder: string;
  /** What the levels mean at this endpoint, where the operator said so (DI-062). */
  readonly models: Readonly<Partial<Record<ModelLevel, string>>>;
}

export interface HarnessContext {
  readonly settings: HarnessChoice;
  readonly systemPrompt: string | null;
  /** The rendered prompt, or null. Passed on stdin or as a file, never in argv (DI-132). */
  readonly prompt: string | null;
  readonly model: string | null;
  /** The vendor's session of an earlier attempt to go on with, or null for a new one. */
  readonly resume: ResumedSession | null;
  /** Null when the attempt names no model endpoint. */
  readonly modelAccess: ModelAccess | null;
  /** Merged environment of the program: firewalled base, environments, secrets (DI-110), and the PALISADE_ contract variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly workspaceDir: string;
  readonly sandbox: Sandbox;
  readonly timeoutMs: number;
  readonly graceMs: number;
  readonly signal: AbortSignal;
  readonly emit: (event: HarnessEvent) => void;
}

export type HarnessEvent =
  | { readonly kind: 'output'; readonly stream: 'stdout' | 'stderr'; readonly bytes: Uint8Array }
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'tool'; readonly name: string; readonly title: string };

export interface HarnessResult {
  readonly outcome: ExecResult['outcome'];
  readonly exitCode: number | null;
  readonly limit?: ExecResult['limit'];
  /** The agent's last words, for people; bounded by the worker. */
  readonly summary?: string;
  readonly usage?: Usage;
  readonly session?: AgentSession;
  /** The agent's final answer, when a structured one was asked for and given. */
  readonly structured?: unknown;
  /** Trouble the agent outlived, e.g. output that could not be understood. */
  readonly warnings?: readonly string[];
  /** Why it ended as it did, in a few words of the harness. */
  readonly detail?: string;
}

export interface Harness {
  readonly name: HarnessChoice['harness'];
  /**
   * Directory in which its program looks for its configuration, e.g. `.claude`. What capabilities bring below
   * it is laid in the program's private home under the same name; what the repository holds there is not.
   */
  readonly configDirectory?: string;
  /** Where below that directory its program keeps its sessions, for harnesses that can go on with one. */
  readonly sessions?: {
    readonly directory: string;
    /** True for a file, by its path below `directory`, without which the session cannot be gone on with. */
    readonly isPart: (path: string, id: string) => boolean;
  };
  /**
   * Finds what the harness needs, before the sandbox exists. Raises `requirements_unmet` when it is not on
   * this machine, with what would help, and `invalid_input` for settings it cannot work with.
   */
  prepare?(request: HarnessRequest): Promise<HarnessNeeds>;
  /** Runs the agent to its end. Resolves for every way a program can end; rejects only for a fault of the harness itself. */
  run(context: HarnessContext): Promise<HarnessResult>;
}
