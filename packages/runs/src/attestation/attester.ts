import { setTimeout as delay } from 'node:timers/promises';
import {
  type CheckpointWitness,
  faultPoint,
  isPalisadeError,
  type NamedFiles,
  type TimestampAuthority,
  toPalisadeError,
} from '@palisade/contracts';
import { LogReader, parseCheckpoint, readTimestamp, withoutCosignatures } from '@palisade/evidence';
import { type Database, underLease, type WriteTx } from '@palisade/kernel';
import { isDeadOwner } from '../execution/lease-owner.ts';
import {
  type AttesterKind,
  type AttesterState,
  keepCosignature,
  keepTimestamp,
  listAttesters,
  recordFailure,
  recordSuccess,
} from './attestation-store.ts';

export interface AttesterOptions {
  readonly database: Database;
  /** The published log. */
  readonly files: NamedFiles;
  readonly authority: TimestampAuthority | null;
  readonly witnesses: readonly CheckpointWitness[];
  readonly owner: string;
  readonly leaseMs: number;
  /** Told of each failure; nothing is lost by it. */
  readonly onFault: (error: unknown) => void;
}

interface Head {
  readonly size: number;
  /** Signed by the log alone. */
  readonly note: string;
}

/** One party that is asked about a head, and what is kept of its answer. */
interface Party {
  readonly name: string;
  readonly kind: AttesterKind;
  ask(head: Head, known: AttesterState | undefined): Promise<(tx: WriteTx) => Promise<void>>;
}

const LEASE = 'log:attester';
/** Pause after a failure, doubled with each further one. */
const PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** How long another process is waited for that asks the same. */
const OTHERS_MS = 15_000;

/**
 * Has the published head of the log attested by a timestamp authority and by witnesses (DI-225, DI-228). It
 * comes after publishing and holds nothing up: a party that fails is recorded, told of, and asked again about
 * the head of then, which commits to everything before it.
 */
export class Attester {
  readonly #options: AttesterOptions;
  readonly #parties: readonly Party[];
  #working: Promise<void> | null = null;

  constructor(options: AttesterOptions) {
    this.#options = options;
    this.#parties = [
      ...(options.authority === null ? [] : [timestampParty(options.authority)]),
      ...options.witnesses.map((witness) => witnessParty(witness, new LogReader(options.files))),
    ];
  }

  /** Resolves when every party that may be asked now was asked about the head published by now. Never rejects. */
  attest(): Promise<void> {
    if (this.#parties.length === 0) return Promise.resolve();
    this.#working ??= this.#attest()
      .catch((error: unknown) => this.#options.onFault(error))
      .finally(() => {
        this.#working = null;
      });
    return this.#working;
  }

  async #attest(): Promise<void> {
    const { database, owner, leaseMs: ttlMs } = this.#options;
    const head = await this.#head();
    if (head === null) return;
    const until = performance.now() + OTHERS_MS;
    // Somebody else who asks just now asks for the same, and may be waited for.
    for (let pauseMs = 20; performance.now() < until; pauseMs = Math.min(500, pauseMs * 2)) {
      if ((await this.#due(head)).due.length === 0) return;
      const isMine = await underLease(
        { database, resource: LEASE, owner, ttlMs, isDead: isDeadOwner },
        async () => {
          const { due, states } = await this.#due(head);
          await Promise.all(due.map((party) => this.#ask(party, head, states.get(party.name))));
        },
      ).then(
        ({ held }) => held,
        (error: unknown) => {
          if (isPalisadeError(error, 'lease_conflict')) return false;
          throw error;
        },
      );
      if (isMine) return;
      await delay(pauseMs);
    }
  }

  async #head(): Promise<Head | null> {
    const note = (await this.#options.files.read('checkpoint'))?.toString('utf8');
    const size = note === undefined ? 0 : (parseCheckpoint(note)?.checkpoint.size ?? 0);
    return note === undefined || size === 0 ? null : { size, note: withoutCosignatures(note) };
  }

  async #due(head: Head) {
    const { states, now } = await this.#options.database.write(async (tx) => ({
      states: new Map((await listAttesters(tx)).map((state) => [state.name, state])),
      now: tx.now,
    }));
    const due = this.#parties.filter(({ name }) => {
      const state = states.get(name);
      return state === undefined || (state.treeSize < head.size && state.nextTryAt <= now);
    });
    return { due, states };
  }

  async #ask(party: Party, head: Head, known: AttesterState | undefined): Promise<void> {
    const { database, onFault } = this.#options;
    try {
      const keep = await party.ask(head, known);
      faultPoint('attest.before-commit');
      await database.write(async (tx) => {
        await keep(tx);
        await recordSuccess(tx, party, head.size);
      });
    } catch (error) {
      const { code, message, why } = toPalisadeError(error);
      const pauseMs = Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** Math.min(known?.failures ?? 0, 16));
      const text = `${message}${why === undefined ? '' : `: ${why}`} (${code})`;
      await database.write((tx) => recordFailure(tx, party, text, tx.now + pauseMs));
      onFault(error);
    }
  }
}

function timestampParty(authority: TimestampAuthority): Party {
  return {
    name: authority.name,
    kind: 'timestamp',
    async ask(head) {
      const token = await authority.stamp(Buffer.from(head.note, 'utf8'));
      const { genTime } = readTimestamp(token);
      return (tx) => keepTimestamp(tx, head, token, genTime);
    },
  };
}

function witnessParty(witness: CheckpointWitness, log: LogReader): Party {
  return {
    name: witness.name,
    kind: 'witness',
    async ask(head, known) {
      const line = await witness.cosign({
        checkpoint: head.note,
        size: head.size,
        lastSize: known?.treeSize ?? 0,
        consistencyFrom: async (size) => (size === 0 ? [] : log.consistencyFor(size, head.size)),
      });
      return (tx) => keepCosignature(tx, head, witness.name, line);
    },
  };
}
