import {
  AUDIT_STREAM,
  type CallContext,
  type Caller,
  callerOf,
  type Operation,
  PalisadeError,
} from '@palisade/contracts';
import type { OpenDatabase } from '@palisade/kernel/testing';
import type * as z from 'zod';
import { identity, type IdentityDeps, identityMigrations } from '../src/index.ts';

/** Stands in for the scanner, which is another room's. */
function scanText(text: string, place: string): void {
  if (text.includes('hunter2')) throw new PalisadeError('credential_in_text', `a credential in ${place}`);
}

export const PASSWORD = 'correct horse battery';

/** Identity over a real database, whose clocks a test can turn on. */
export async function identityRig(
  open: (...args: Parameters<OpenDatabase>) => ReturnType<OpenDatabase>,
  options: Pick<IdentityDeps, 'insecureLoopback' | 'publicOrigin' | 'mailer' | 'sessionIdleDays'> = {},
) {
  const clock = { skew: 0 };
  const monotonic = { now: 0 };
  const wallClock = () => Date.now() + clock.skew;
  const database = await open({ migrations: identityMigrations, wallClock });
  const room = identity({ database, wallClock, monotonic: () => monotonic.now, scanText, ...options });
  const host = callerOf(room.operations, 'system:host');
  const signIn = (name: string, password = PASSWORD, previous?: string) =>
    room.login({ name, password, previous });
  const sessionOf = async (name: string): Promise<Caller> => {
    const caller = await room.authenticateSession((await signIn(name)).cookie.value);
    if (caller === null) throw new PalisadeError('internal', `${name} has no session`);
    return caller;
  };
  const admin = () => room.initAdmin({ name: 'ada', password: PASSWORD });
  return {
    database,
    room,
    clock,
    monotonic,
    /** Makes the administrator ada. */
    admin,
    signIn,
    /** A new session of somebody. */
    sessionOf,
    /** A session of the administrator ada, who is made. */
    adminCaller: async () => {
      await admin();
      return sessionOf('ada');
    },
    /** Calls as whoever holds the files, or as the one given. */
    call: <Op extends Operation>(
      operation: Op,
      input: z.input<Op['input']>,
      as?: Caller,
      context: Partial<CallContext> = {},
    ): Promise<z.output<Op['output']>> => {
      const by = as === undefined ? {} : { caller: as, actor: as.actor };
      return host.call(operation, input, { ...by, ...context });
    },
    /** The caller whom a token authenticates, which it must. */
    callerWith: async (token: string | undefined): Promise<Caller> => {
      const caller = await room.authenticate(token ?? '');
      if (caller === null) throw new PalisadeError('internal', 'the token authenticates nobody');
      return caller;
    },
    /** Action, target and outcome of every audit record. */
    audit: async (): Promise<{ action: string; target: string; outcome: string; actor: string }[]> => {
      const events = await database.read((tx) => tx.journal.read(AUDIT_STREAM, -1, 1_000));
      return events.map(({ type, data }) => {
        const { target, outcome, actor } = data as { target: string; outcome: string; actor: string };
        return { action: type, target, outcome, actor };
      });
    },
  };
}
