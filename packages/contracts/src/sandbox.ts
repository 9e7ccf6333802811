/*
 * The sandbox seam. A provider allocates one sandbox per attempt; programs run in it one after
 * another; destroying it ends every process in it and leaves nothing of its own behind.
 * A provider claims a protection in its posture only when it has proved it on this machine.
 */

/** One protection a sandbox really gives. A posture is a list of these, plus limits it enforces. */
export type SandboxProtection =
  | 'other-uid' // programs run as another user than the supervisor
  | 'pid-namespace' // other processes are invisible, and all die with the sandbox
  | 'network-none' // no interface but an empty loopback
  | 'network-host' // the host's network, allowed by plan and operator
  | 'network-bridge' // a network of the sandbox's own with a way out, allowed by plan and operator
  | 'readonly-root' // the system is visible read-only, the user's home is not
  | 'private-tmp'
  | 'seccomp'
  | 'no-new-privileges'
  | 'no-capabilities'
  | 'memory-limit'
  | 'process-limit'
  | 'cpu-limit' // no more processor time than it was given, however many there are
  | 'file-size-limit'
  | 'time-limit'
  | 'output-limit'
  | 'unsandboxed-host'; // no boundary at all: programs run as the supervisor on the host

/** What a posture amounts to, as manifests and people name it. */
export type Isolation = 'sandboxed' | 'unsandboxed-host';

export function isolationOf(posture: readonly string[]): Isolation {
  return posture.includes('unsandboxed-host') ? 'unsandboxed-host' : 'sandboxed';
}

export interface SandboxLimits {
  readonly memoryBytes: number;
  /** Processors' worth of time, e.g. 1.5; absent is no limit. */
  readonly cpus?: number;
  readonly processes: number;
  readonly fileBytes: number;
  /** Bytes of stdout kept per program; what is beyond is counted, drained and marked (DI-078). */
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
}

export interface SandboxSpec {
  /** Names the sandbox; also the marker by which its processes are found after a crash. */
  readonly attemptId: string;
  /** Host directory the programs may read and write; seen by them at `workspacePath` of the sandbox. */
  readonly workspaceDir: string;
  /** Host directory for the sandbox's own files (never inside the workspace, FF-132). */
  readonly stateDir: string;
  /** Host paths visible read-only at the same path, e.g. shared git objects. */
  readonly readOnlyPaths: readonly string[];
  readonly network: boolean;
  readonly limits: SandboxLimits;
}

export interface ExecSpec {
  /** Program and arguments; never a shell line. */
  readonly argv: readonly [string, ...string[]];
  /** The whole environment of the program. Nothing is inherited. Secrets appear here and nowhere else. */
  readonly env: Readonly<Record<string, string>>;
  /** Relative to the workspace; default is the workspace itself. */
  readonly cwd?: string;
  readonly stdin?: Uint8Array;
  readonly timeoutMs: number;
  /** Polite SIGTERM before the tree is killed. */
  readonly graceMs: number;
  readonly signal?: AbortSignal;
  /** Sees every byte in order, before truncation, as it arrives. */
  readonly onOutput?: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void;
}

/** How a program ended. It never rejects: an unstartable program is `start_failed` (DI-123). */
export interface ExecResult {
  readonly outcome: 'exited' | 'signaled' | 'timed_out' | 'canceled' | 'start_failed' | 'limit';
  /** Exit status when `exited`, else null. Absence of a status is never success (FF-064). */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The limit that ended it, and how sure that is (FF-062). */
  readonly limit?: {
    readonly name: 'memory' | 'processes' | 'file-size' | 'cpu';
    readonly certainty: 'certain' | 'likely';
    readonly setting: string;
  };
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  /** Bytes dropped beyond the limits. */
  readonly stdoutDropped: number;
  readonly stderrDropped: number;
  readonly durationMs: number;
  /** Why it could not start; no environment or argument values. */
  readonly detail?: string;
}

export interface Sandbox {
  readonly posture: readonly SandboxProtection[];
  /** Where programs see the workspace. */
  readonly workspacePath: string;
  /** User id that owns files the programs make, or null when it is the supervisor's. */
  readonly uid: number | null;
  /** Address of the image whose programs run, where the sandbox is made of one: its content, not what it was called. */
  readonly image?: string;
  exec(spec: ExecSpec): Promise<ExecResult>;
  /** Which rule of the sandbox probably stands behind the text of an error, and what the allowed way is; null when none is recognised. */
  explain?(text: string): string | null;
  /** Ends every process of this sandbox, whatever session or group it moved to, then frees its resources. Idempotent. */
  destroy(): Promise<void>;
}

export interface SandboxProvider {
  readonly name: string;
  /**
   * Higher is stronger. The strongest provider is the default. A weaker one stands in for it, and says so,
   * only where the stronger one is missing; one that is there and does not work is an error until the
   * operator names another.
   */
  readonly strength: number;
  /** Proves on this machine what the provider can give; `available: false` says why not and what would help. */
  probe(): Promise<SandboxProbe>;
  allocate(spec: SandboxSpec): Promise<Sandbox>;
  /** Ends whatever a crashed supervisor left running for this attempt. */
  reap(attemptId: string, stateDir: string): Promise<void>;
}

export type SandboxProbe =
  | { readonly available: true; readonly posture: readonly SandboxProtection[] }
  | {
      readonly available: false;
      /** True when nothing of the provider is on this machine; else it is there and does not work. */
      readonly missing?: boolean;
      readonly reason: string;
      readonly next?: string;
    };
