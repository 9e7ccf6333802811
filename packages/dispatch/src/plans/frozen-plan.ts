import {
  type AgentDefinition,
  type ContentHash,
  type ModelEndpointDefinition,
  type Need,
  type PipelineBlock,
  type SandboxSettings,
  type Verify,
} from '@palisade/contracts';

/** An item with every name resolved to content, as it was when the run was admitted. */
export interface FrozenItem {
  readonly id: string;
  readonly title: string;
  readonly executor: string;
  /** Name and hash of the agent; its definition is in the plan's `agents`. */
  readonly agent: { readonly name: string; readonly hash: ContentHash };
  readonly prompt: string | null;
  readonly model: string | null;
  readonly input?: unknown;
  readonly capabilities: readonly { readonly name: string; readonly hash: ContentHash }[];
  readonly environments: readonly { readonly name: string; readonly hash: ContentHash }[];
  /** Every variable its environments set, sorted. */
  readonly envNames: readonly string[];
  /** Environment variable names and the references of the secrets they will be given; never values. */
  readonly secretRefs: readonly { readonly name: string; readonly ref: string }[];
  /** Where the agent's model is, when it names an endpoint. */
  readonly modelEndpoint?: {
    readonly name: string;
    readonly hash: ContentHash;
    readonly definition: ModelEndpointDefinition;
  };
  readonly inputRefs: readonly { readonly key: string; readonly ref: ContentHash }[];
  readonly dependsOn: readonly string[];
  readonly locks: readonly string[];
  readonly needs: readonly (Need & { readonly key: string })[];
  readonly pipeline: readonly PipelineBlock[];
  readonly verify?: Verify;
  readonly maxAttempts: number;
  readonly backoffMs: number;
  readonly timeoutMs: number;
  readonly sandbox: SandboxSettings;
}

/** The configuration snapshot of a run: immutable, stored as a document under its own hash. */
export interface FrozenPlan {
  readonly schemaVersion: 1;
  readonly title: string;
  readonly queue: string;
  readonly concurrency: number | null;
  readonly timeoutMs: number | null;
  readonly agents: Readonly<Record<ContentHash, AgentDefinition>>;
  readonly items: readonly FrozenItem[];
}
