import type {
  BackupReport,
  InvalidatedDatabase,
  OperationCaller,
  PalisadeError,
  PrincipalView,
  RestoreReport,
  VerifiedSnapshot,
} from '@palisade/contracts';
import type { SettingOrigin } from './config/config.ts';
import type { PendingChanges } from './server/pending-changes.ts';
import type { SessionFile } from './server/session-file.ts';

/** An open control plane; every command works through its operations and nothing else. */
export interface ControlPlane extends OperationCaller {
  close(): Promise<void>;
  /** Starts a detached engine process unless a live one serves this control plane. */
  ensureEngine(): Promise<void>;
  /** False when its files, which it was opened from, are gone. */
  exists(): boolean;
  /** True while an engine process that can be seen from here serves this control plane. */
  engineLives(): Promise<boolean>;
  /** Project root that holds `.palisade/`. */
  readonly directory: string;
  /** Which database answers, for `status -v`. */
  readonly database: string;
  /** True on a full disk: what is stored can be read, and nothing changed. */
  readonly isReadOnly: boolean;
  /** It makes calls again by itself while what fails is temporary. */
  readonly repeatsCalls?: boolean;
  /**
   * Of a server: calls it for whoever follows something, as long as it takes the server to come back; only what it refuses for good is
   * raised. Absent in process.
   */
  readonly waiting?: (told: ConnectionTold) => OperationCaller;
  /** What was sent to a server and not answered yet, as the state directory here or another one holds it; absent in process, where nothing is half sent. */
  readonly changes?: (stateDirectory?: string) => Promise<PendingChanges>;
  /** Where the harness session is kept that calls of a server are made in, here or in another state directory; absent in process. */
  readonly sessionFile?: (stateDirectory?: string) => Promise<SessionFile>;
  /** The project that calls are about which name none, asked of a server; absent in process. */
  readonly project?: () => Promise<string>;
}

/** Told what becomes of the connection to a server, also several times in a row. */
export interface ConnectionTold {
  readonly lost: (error: PalisadeError) => void;
  readonly back: () => void;
}

/** How the command line reaches a control plane. Tests supply their own. */
export interface Connections {
  /** Opens the control plane of a project root; `not_initialized` when there is none and `create` is not set. */
  openControlPlane(options: {
    directory: string;
    create?: boolean;
    /** Settings of the user's files that the control plane heeds, by the names of their variables. */
    environment?: Readonly<Record<string, string>>;
    /** Where the policy among them was stated. */
    policyOrigin?: SettingOrigin | undefined;
  }): Promise<ControlPlane>;
  /** Opens accounts of people on this host; never through a server. Absent: there are none here. */
  openHostAccounts?(options: { directory: string }): Promise<HostAccounts>;
  /** Snapshots of a control plane on this host; never through a server. Absent: there are none here. */
  hostBackups?(options: { directory: string }): Promise<HostBackups>;
  /** The first thing in bytes that looks like a credential (DI-048), or null. Absent: nothing here can tell. */
  findCredential?(bytes: Uint8Array): Promise<CredentialFinding | null>;
}

/** What only whoever holds the files of a control plane, or its database, may do (AC-034, AC-049). */
export interface HostAccounts {
  initAdmin(input: { name: string; password: string }): Promise<PrincipalView>;
  recoverPassword(input: { name: string; password: string; reason: string }): Promise<PrincipalView>;
  close(): Promise<void>;
}

/** What only whoever holds the files of a control plane may do with snapshots of it (AO-180…AO-198). */
export interface HostBackups {
  backup(input: { repository: string; signal: AbortSignal }): Promise<BackupReport>;
  verify(input: { snapshot: string; signal: AbortSignal }): Promise<VerifiedSnapshot>;
  restore(input: {
    snapshot: string;
    destination: string;
    reason: string;
    keys?: string | undefined;
    withoutKeys?: boolean;
    signal: AbortSignal;
  }): Promise<RestoreReport>;
  invalidate(input: { reason: string; dryRun?: boolean }): Promise<InvalidatedDatabase>;
}

/** Where something that looks like a credential was found; never the credential. */
export interface CredentialFinding {
  readonly pattern: string;
  readonly line: number | null;
}

/** The connections of an installation: the composition in `@palisade/server`, loaded when first needed. */
export const localConnections: Connections = {
  async openControlPlane(options) {
    const { openControlPlane } = await import('@palisade/server');
    return openControlPlane(options);
  },
  async openHostAccounts(options) {
    const { openHostAccounts } = await import('@palisade/server');
    return openHostAccounts(options);
  },
  async hostBackups(options) {
    const { hostBackups } = await import('@palisade/server');
    return hostBackups(options);
  },
  async findCredential(bytes) {
    const server: object = await import('@palisade/server');
    const find: unknown = Reflect.get(server, 'findCredential');
    return typeof find === 'function'
      ? (find as (content: Uint8Array) => CredentialFinding | null)(bytes)
      : null;
  },
};
