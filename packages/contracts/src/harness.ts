import type { HarnessChoice, Usage } from './agent.ts';
import type { ExecResult, Sandbox } from './sandbox.ts';

/*
 * The harness seam: the program that thinks inside a run. A harness gets a workspace, an
 * environment and a deadline; it never gets control-plane credentials. It works only through the
 * sandbox it is given.
 */

export interface HarnessContext {
  readonly settings: HarnessChoice;
  readonly systemPrompt: string | null;
  /** The rendered prompt, or null. Passed on stdin or as a file, never in argv (DI-132). */
  readonly prompt: string | null;
  readonly model: string | null;
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
  readonly detail?: string;
}

export interface Harness {
  readonly name: HarnessChoice['harness'];
  /** Runs the agent to its end. Resolves for every way a program can end; rejects only for a fault of the harness itself. */
  run(context: HarnessContext): Promise<HarnessResult>;
}
