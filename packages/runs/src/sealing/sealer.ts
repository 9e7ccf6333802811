import {
  type BundleEntry,
  faultPoint,
  isPalisadeError,
  limits,
  type NamedFiles,
  runStream,
} from '@palisade/contracts';
import { LogPublisher, type PublishOptions, type Seal, type Signer, sealRun } from '@palisade/evidence';
import { type Database, underLease } from '@palisade/kernel';
import { isDeadOwner } from '../execution/lease-owner.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { listUnsealedRuns, markSealed } from '../run/run-store.ts';
import { appendLeaf, isActiveKey, logSize, readLeaves, rememberKey } from './seal-store.ts';
import type { SigningKeys } from './signing-keys.ts';

export interface SealerOptions {
  readonly database: Database;
  readonly files: NamedFiles;
  readonly keys: Pick<SigningKeys, 'current'>;
  readonly origin: string;
  /** Names this process as publisher; see `ownerName`. */
  readonly owner: string;
  /** How long a publisher that stands still keeps others from publishing, 30 s by default. A long publication renews its lease. */
  readonly leaseMs?: number;
  /** Has what was published attested by others. Never rejects. */
  readonly attester?: { attest(): Promise<void> };
  readonly onFault: (error: unknown, runId: string) => void;
}

/**
 * Runs sealed by one commit and published by one checkpoint, so that many short runs cost few of them.
 * Publishing costs about 12 synced files whatever the number of runs: sealing one by one took more time
 * than running two-step runs did.
 */
const BATCH = 256;
/** How long an ended run waits for others to be sealed with it, unless somebody asks for its evidence. */
const LINGER_MS = 200;
const READ_EVENTS = 5_000;
const PUBLISHER = 'log:publisher';

type HowToPublish = Omit<PublishOptions, 'assertMine'>;

/**
 * Seals ended runs: signs each run's complete ledger, appends it to the installation's log and
 * publishes the log. Every stage may be repeated after a crash: the signature is a function of the
 * ledger and the key, a run has at most one leaf, and publishing writes what the leaves say.
 */
export class Sealer {
  readonly #options: SealerOptions;
  #queue: string[] = [];
  #working: Promise<void> | null = null;
  #stopped = false;
  #publishWanted = false;
  #attesting: Promise<void> | null = null;
  #linger: NodeJS.Timeout | undefined;

  constructor(options: SealerOptions) {
    this.#options = options;
  }

  /** A run has ended. */
  add(runId: string): void {
    this.#queue.push(runId);
    if (this.#queue.length >= BATCH) this.#start();
    else this.#linger ??= setTimeout(() => this.#start(), LINGER_MS);
  }

  /** Finds ended runs that a crash left unsealed, and publishes whatever is not published. */
  async recover(): Promise<void> {
    const unsealed = await this.#options.database.read((tx) => listUnsealedRuns(tx, 1_000));
    this.#queue.push(...unsealed.filter((runId) => !this.#queue.includes(runId)));
    this.#start(true);
  }

  /** Seals and publishes everything that has ended by now. */
  async settle(): Promise<void> {
    await this.recover();
    await this.idle();
  }

  /** Resolves when nothing waits to be sealed, published or attested. */
  async idle(): Promise<void> {
    if (this.#queue.length > 0 && !this.#stopped) this.#start();
    while (this.#working !== null) await this.#working;
    while (this.#attesting !== null) await this.#attesting;
  }

  /** Has the published log attested by whoever may be asked now, without holding up what is to be sealed. */
  attest(): Promise<void> {
    const { attester } = this.#options;
    this.#attesting ??= (attester?.attest() ?? Promise.resolve()).finally(() => {
      this.#attesting = null;
    });
    return this.#attesting;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#linger);
    await this.idle();
  }

  #start(publish = false): void {
    clearTimeout(this.#linger);
    this.#linger = undefined;
    this.#publishWanted ||= publish;
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
      if ((this.#queue.length > 0 || this.#publishWanted) && !this.#stopped) this.#start();
    });
  }

  async #work(): Promise<void> {
    try {
      const sealed = this.#queue.length > 0 ? await this.#sealBatch() : 0;
      if (sealed === 0 && !this.#publishWanted) return;
      this.#publishWanted = false;
      await this.publish();
      void this.attest();
    } catch (error) {
      // What was not sealed stays ended and unsealed; the next recovery finds it.
      this.#options.onFault(error, '');
      await delay(1_000);
    }
  }

  async #sealBatch(): Promise<number> {
    const { database, onFault } = this.#options;
    const signer = await this.#signer();
    const batch = [...new Set(this.#queue.splice(0, BATCH))];
    const seals: { readonly runId: string; readonly seal: Seal }[] = [];
    for (const runId of batch) {
      try {
        seals.push({
          runId,
          seal: await sealRun({ runId, entries: await readLedger(database, runId), signer }),
        });
      } catch (error) {
        onFault(error, runId);
      }
    }
    faultPoint('seal.before-append');
    const isKept = await database.write(async (tx) => {
      if (!(await isActiveKey(tx, signer.keyid))) return false;
      for (const { runId, seal } of seals) {
        await appendLeaf(tx, runId, seal.leafBytes, seal.envelope);
        await markSealed(tx, runId);
      }
      return true;
    });
    faultPoint('seal.after-append');
    if (isKept) return seals.length;
    // The key was retired meanwhile: its successor seals them.
    this.#queue.unshift(...batch);
    return 0;
  }

  /** Brings the static files up to the log. One publisher at a time over all processes. */
  publish(options: HowToPublish = {}): Promise<void> {
    return this.whileUnpublished(async () => {}, options);
  }

  /** Runs a body once, while nobody publishes in any process, and publishes afterwards. */
  async whileUnpublished<T>(body: () => Promise<T>, options: HowToPublish = {}): Promise<T> {
    let done: { readonly value: T } | undefined;
    for (let attempt = 0; ; attempt++) {
      const isPublished = await this.#publishIfFree(async () => {
        done ??= { value: await body() };
      }, options);
      if (isPublished && done !== undefined) return done.value;
      await delay(Math.min(1_000, 50 * 2 ** attempt));
    }
  }

  /** False when somebody else publishes, or took over because this process stood still. */
  async #publishIfFree(before: () => Promise<void>, options: HowToPublish): Promise<boolean> {
    const { database, owner, leaseMs: ttlMs = limits.leaseMs } = this.#options;
    try {
      const { held } = await underLease(
        { database, resource: PUBLISHER, owner, ttlMs, isDead: isDeadOwner },
        async (lease) => {
          await before();
          faultPoint('seal.before-publish');
          await (await this.#publisher()).publish({ ...options, assertMine: () => lease.assert() });
          faultPoint('seal.after-publish');
        },
      );
      return held;
    } catch (error) {
      if (isPalisadeError(error, 'lease_conflict')) return false;
      throw error;
    }
  }

  /** The key that signs now. It may be new to this database: a project has one key for all of its databases. */
  async #signer(): Promise<Signer> {
    const { database, keys } = this.#options;
    const signer = await keys.current();
    if (!(await database.read((tx) => isActiveKey(tx, signer.keyid))))
      await database.write((tx) =>
        rememberKey(tx, { keyid: signer.keyid, alg: signer.alg, spkiDer: signer.publicKeySpkiDer }),
      );
    return signer;
  }

  async #publisher(): Promise<LogPublisher> {
    const { database, files, origin } = this.#options;
    return new LogPublisher({
      files,
      origin,
      signer: await this.#signer(),
      leaves: {
        size: () => database.read(logSize),
        read: (from, count) => database.read((tx) => readLeaves(tx, from, count)),
      },
    });
  }
}

/** A run's whole ledger as evidence carries it. */
export async function readLedger(database: Database, runId: string): Promise<BundleEntry[]> {
  const entries: BundleEntry[] = [];
  for (;;) {
    const page = await database.read((tx) =>
      tx.journal.read(runStream(runId), entries.length - 1, READ_EVENTS),
    );
    for (const { seq, type, at, data, hash } of page) entries.push({ seq, type, at, data, hash });
    if (page.length < READ_EVENTS) return entries;
  }
}
