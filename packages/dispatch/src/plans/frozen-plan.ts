import {
  type AgentDefinition,
  type BudgetFacts,
  type ContentHash,
  type Isolation,
  limits,
  type ModelEndpointDefinition,
  type Need,
  type Notification,
  type PipelineBlock,
  type SandboxSettings,
  type Verify,
} from '@palisade/contracts';
import type { FrozenShape } from '../shapes/shape.ts';

/** An item with every name resolved to content, as it was when the run was admitted. */
export interface FrozenItem {
  readonly id: string;
  readonly title: string;
  readonly executor: string;
  /** Name and hash of the agent; its definition is in the plan's `agents`. */
  readonly agent: { readonly name: string; readonly hash: ContentHash };
  /** What kind of work it is, and what it may do and leave (DI-193). */
  readonly shape?: FrozenShape;
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
  /** The registered pipeline that the blocks are, when the plan named one. */
  readonly pipelineRef?: { readonly name: string; readonly hash: ContentHash };
  readonly verify?: Verify;
  readonly maxAttempts: number;
  readonly backoffMs: number;
  readonly timeoutMs: number;
  readonly sandbox: SandboxSettings;
  /** Its agent takes messages while it runs. */
  readonly channel?: true;
  /** What a person is to decide; then no program runs, and what is said about one counts for nothing. */
  readonly approval?: FrozenApproval;
  /** What all its attempts together may use. */
  readonly budget?: BudgetFacts;
  /** What one attempt may cost, micro-dollars. */
  readonly maxCostMicroUsd?: number;
  /** Starts when its dependencies have ended in any way, and at least this many of them `done`; absent: when all are `done`. */
  readonly atLeastDone?: number;
  /** How the run grows when it, or what it made, ends. */
  readonly growth?: FrozenGrowth;
  /** The item whose rule made it. */
  readonly grownBy?: string;
  /** Of a round after the first: the item it repeats, and the number of the round, from 2. */
  readonly repeats?: { readonly item: string; readonly round: number };
}

/** What a person is to decide (DI-192). */
export interface FrozenApproval {
  readonly prompt: string;
  readonly role: string | null;
  readonly expiresMs: number | null;
  readonly onExpiry: 'deny' | 'approve';
  readonly fourEyes: boolean;
  readonly distinctFrom: readonly string[];
}

/**
 * An item to be made later: every name is resolved already, so that nothing registered meanwhile changes
 * the run. Its id and edges are given when it is made.
 */
export type ItemTemplate = Omit<
  FrozenItem,
  'id' | 'dependsOn' | 'needs' | 'growth' | 'grownBy' | 'repeats' | 'atLeastDone'
>;

/** The rule of an item and its templates (DI-201 … DI-203). */
export type FrozenGrowth =
  | {
      /** A red end makes a fix of `subject`, and repeats the gate and what was skipped behind it. */
      readonly kind: 'gate';
      readonly onRed: 'advance' | 'spawn-fix';
      readonly subject?: string;
      readonly fix?: ItemTemplate;
      readonly maxFixAttempts: number;
    }
  | {
      /** Every output becomes an item, and their results one more. */
      readonly kind: 'map-reduce';
      readonly map: ItemTemplate;
      /** Key under which a map gets its part. */
      readonly needsKey: string;
      /** Output a map leaves for the reduction. */
      readonly outputPath: string;
      readonly reduce?: ItemTemplate;
      /** Prefix of the keys under which the reduction gets the results. */
      readonly keyPrefix: string;
      /** Maps that have to be `done` for the reduction; null: all. */
      readonly minDone: number | null;
      /** The plan has several splitters: the items this one makes are named after it. */
      readonly isPrefixed?: true;
    }
  | {
      readonly kind: 'quorum';
      readonly reviewers: readonly ItemTemplate[];
      readonly threshold: number;
      readonly commit?: ItemTemplate;
      readonly onReject: 'spawn-fix' | 'block';
      readonly fix?: ItemTemplate;
      readonly maxRounds: number;
    }
  | {
      /** The item's output names further items, all made from one template. */
      readonly kind: 'spawn';
      readonly from: string;
      readonly template: ItemTemplate;
      readonly max: number;
      readonly join?: ItemTemplate;
    };

/** The configuration snapshot of a run: immutable, stored as a document under its own hash. */
export interface FrozenPlan {
  readonly schemaVersion: 1;
  readonly title: string;
  readonly queue: string;
  readonly concurrency: number | null;
  readonly timeoutMs: number | null;
  /** How long the run is kept after its end, when its plan says less than the operator. */
  readonly retentionMs?: number;
  /** What of the run is told to whom; absent where nobody asked. */
  readonly notifications?: readonly Notification[];
  readonly agents: Readonly<Record<ContentHash, AgentDefinition>>;
  readonly items: readonly FrozenItem[];
  readonly priority?: number;
  /** What all attempts of the run together may use. */
  readonly budget?: BudgetFacts;
  /** Accepts further items until it is closed (DI-205). */
  readonly openEnded?: boolean;
  /** Items it may come to have: the fuse of every growth (DI-204). */
  readonly maxItems?: number;
}

/** What stands between the plan's items and the machine: nothing, when it is nothing for one of them. */
export function isolationOf({ items }: Pick<FrozenPlan, 'items'>): Isolation {
  return items.some(({ sandbox }) => sandbox.isolation === 'unsandboxed-host')
    ? 'unsandboxed-host'
    : 'sandboxed';
}

/** Items a run of this plan may come to have. */
export function maxItemsOf(plan: Pick<FrozenPlan, 'items' | 'maxItems'>): number {
  return plan.maxItems ?? Math.min(limits.planItems, plan.items.length + limits.grownItems);
}

/** Items a run came to have after it was submitted, stored as a document under its own hash. */
export interface FrozenPart {
  readonly schemaVersion: 1;
  /** Who added it, when that was somebody outside; no part of the document. */
  readonly actor?: string;
  readonly agents: Readonly<Record<ContentHash, AgentDefinition>>;
  readonly items: readonly FrozenItem[];
}
