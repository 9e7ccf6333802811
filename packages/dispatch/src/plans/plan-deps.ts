import type { BlobStore, Isolation, Notification } from '@palisade/contracts';
import type { Database, JournalWatch, ReadTx, WriteTx } from '@palisade/kernel';
import type { RootRun, RunBase } from '@palisade/runs';
import type { Authority } from '../authority/authorize-items.ts';
import type { ShapeCatalogue } from '../shapes/shape-catalogue.ts';
import type { FrozenPlan } from './frozen-plan.ts';
import type { NameResolver } from './freeze-policy.ts';

/** A provider for the attempts of a run, and what it gives. */
export interface ChosenSandbox {
  readonly name: string;
  readonly isolation: Isolation;
  readonly warnings: readonly string[];
}

/** How a run comes to be told outside. */
export interface NotificationPort {
  readonly endpoints: (tx: ReadTx, project: string) => Promise<readonly string[]>;
  readonly subscribe: (
    tx: WriteTx,
    run: Pick<RootRun, 'id' | 'project'>,
    notifications: readonly Notification[],
  ) => Promise<void>;
}

/** What the plan operations need of the rest of the control plane. */
export interface PlanDeps {
  readonly database: Database;
  readonly blobs: BlobStore;
  /** What names mean in a project. */
  readonly names: (project: string) => NameResolver;
  /** False for a project that is archived: nothing of it starts by itself. */
  readonly isActive: (tx: ReadTx, project: string) => Promise<boolean>;
  readonly executors: ReadonlySet<string>;
  readonly shapes: ShapeCatalogue;
  /** Who decides what may be done; absent: nobody. */
  readonly authority?: Authority;
  /** How long the operator keeps runs after their end, ms; null or absent: for ever. No plan asks for longer. */
  readonly retentionMs?: number | null;
  /** Directory of all attempts, where live output is read. */
  readonly attemptsRoot: string;
  /** Resolves where a run starts; warnings say what is not part of the base. */
  readonly resolveBase: (
    repository: string,
    revision: string | undefined,
  ) => Promise<{ readonly base: RunBase; readonly warnings: readonly string[] }>;
  /** Whether callers from outside may start runs from the repository at a path of this machine. */
  readonly isOffered: (repository: string) => Promise<boolean>;
  /**
   * The sandbox provider to use: by name, or the strongest on this machine; only a boundary when one is
   * required. Raises `requirements_unmet`.
   */
  readonly chooseSandbox: (name: string | undefined, requireIsolation: boolean) => Promise<ChosenSandbox>;
  /** Webhook endpoints of the operator's, and what keeps that a run is told to them. */
  readonly notifications: NotificationPort;
  /** Raises `credential_in_text` when text looks like it holds a credential (DI-048). */
  readonly scanText: (text: string, place: string) => void;
  /** Lets an engine in this process start a run in the unit of work that admits it. */
  readonly startRun: (tx: WriteTx, run: RootRun, plan: FrozenPlan) => Promise<void>;
  /** Follows streams of the journal; see the kernel's JournalWatch. */
  readonly follow: JournalWatch['follow'];
  /** A wish was committed for a run. */
  readonly onControl: (runId: string) => void;
}
