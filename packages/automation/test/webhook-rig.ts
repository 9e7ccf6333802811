import { callerOf, type EventData, type Notification, newId } from '@palisade/contracts';
import {
  EgressClient,
  type EgressClientOptions,
  MasterKey,
  secretMigrations,
  secretStore,
} from '@palisade/kernel';
import type { OpenDatabase } from '@palisade/kernel/testing';
import { onTestFinished } from 'vitest';
import { Deliverer, notifyOutside, subscribe, webhookMigrations, webhookOperations } from '../src/index.ts';

/** A signing key as an operator brings one. */
export const secretOf = (byte: number): string => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;

/**
 * Everything that tells the outside, over a real database and the real client for calls outside. `attemptMs` ends an attempt
 * at a receiver that hangs; where none does it is long, because a busy machine must not repeat what was received.
 */
export async function webhookRig(
  open: OpenDatabase,
  { attemptMs = 30_000, ...egress }: EgressClientOptions & { readonly attemptMs?: number } = {},
) {
  const clock = { skew: 0 };
  const wallClock = () => Date.now() + clock.skew;
  const database = await open({
    migrations: [...secretMigrations, ...webhookMigrations],
    wallClock,
    onEvents: notifyOutside,
  });
  const secrets = secretStore({ database, masterKey: new MasterKey(Buffer.alloc(32, 7)) });
  const faults: unknown[] = [];
  const deps = {
    database,
    secrets: () => secrets,
    egress: (allowLocal: boolean) => new EgressClient({ ...egress, allowLocal }),
    attemptMs,
  };
  const deliverer = (random: () => number = () => 0): Deliverer => {
    const made = new Deliverer({
      ...deps,
      owner: newId('job'),
      wallClock,
      random,
      onFault: (error) => faults.push(error),
    });
    onTestFinished(() => made.stop());
    return made;
  };
  const first = deliverer();
  return {
    database,
    secrets,
    clock,
    faults,
    deliverer,
    first,
    ops: callerOf(webhookOperations(deps)),
    /** Looks, and waits for what that began. */
    async round(by: Deliverer = first): Promise<void> {
      await by.look();
      await by.settled();
    },
    /** A run that is to be told of, and then ends. */
    async run(
      id: string,
      notifications: readonly Notification[],
      end: Partial<EventData<'run.completed'>> = {},
    ) {
      await database.write((tx) => subscribe(tx, { id, project: 'default' }, notifications));
      await database.write((tx) =>
        tx.journal.append(`run:${id}`, 'run.completed', { run: id, status: 'failed', counts: {}, ...end }),
      );
    },
  };
}
