import {
  bindOperation,
  type BoundOperation,
  type CallContext,
  type Caller,
  closeHarnessSession,
  getHarnessSession,
  type HarnessSessionView,
  listHarnessSessions,
  PalisadeError,
  PrincipalKind,
  registerHarnessSession,
} from '@palisade/contracts';
import type { Database, NearClock, ReadTx } from '@palisade/kernel';
import { change } from '../callers/change.ts';
import { unauthenticated } from '../callers/recheck.ts';
import { ownSession } from './bind-session.ts';
import { type HarnessSession, harnessSessionView, maySee } from './harness-session.ts';
import {
  closeHarnessSession as close,
  connectedSessions,
  findHarnessSession,
} from './harness-session-store.ts';
import { register } from './register-session.ts';

const HOUR_MS = 3_600_000;
const WITHIN_HOURS = 24;
/** AC-063: most sessions that a list tells of. */
const MOST = 500;

/** The operations on harness sessions (AC-057…AC-063, AO-124, AO-155). */
export function harnessSessionOperations(
  database: Database,
  clock: Pick<NearClock, 'now'>,
): BoundOperation[] {
  return [
    bindOperation(registerHarnessSession, (input, context) => register(database, input, context)),
    bindOperation(getHarnessSession, async ({ session: id }, { caller }) =>
      harnessSessionView(await database.read((tx) => visible(tx, id, caller))),
    ),
    bindOperation(closeHarnessSession, ({ session: id, dry_run: dryRun }, context) =>
      closeOne(database, id, dryRun, context),
    ),
    bindOperation(listHarnessSessions, async ({ active_within_hours: hours = WITHIN_HOURS }, { caller }) => {
      const now = await clock.now();
      const found = await database.read((tx) =>
        connectedSessions(tx, {
          principal: caller.project === null ? null : caller.principal,
          since: hours === 0 ? 0 : now - hours * HOUR_MS,
          now,
          limit: MOST + 1,
        }),
      );
      return {
        active_within_hours: hours,
        generated_at: now,
        truncated: found.length > MOST,
        data: found.slice(0, MOST).map(({ session, name, kind }) => ({
          ...harnessSessionView(session),
          principal_name: name,
          principal_kind: PrincipalKind.parse(kind),
        })),
      };
    }),
  ];
}

/** Closes the session that the caller presents, or any as an administrator. One that was closed before is answered as it is. */
async function closeOne(
  database: Database,
  id: string,
  dryRun: boolean | undefined,
  context: CallContext,
): Promise<HarnessSessionView> {
  const { caller, presented } = context;
  const made = { operation: closeHarnessSession, action: 'harness_session.closed', target: id } as const;
  const how = { ...made, request: { id }, dryRun, whilePaused: true };
  if (presented !== undefined || !caller.scopes.has('system')) {
    // Guesses are no audit records: anybody with a credential could make many.
    const own = await database.read((tx) => ownSession(tx, caller, { proof: '', ...presented }));
    if (own?.id !== id) throw unauthenticated();
  }
  const { answer } = await change(database, context, how, async (tx) => {
    const session = await visible(tx, id, caller);
    const isClosed = await close(tx, id);
    return {
      answer: harnessSessionView(isClosed ? { ...session, closedAt: tx.now } : session),
      target: isClosed ? id : null,
    };
  });
  return answer;
}

async function visible(tx: ReadTx, id: string, caller: Caller): Promise<HarnessSession> {
  const found = await findHarnessSession(tx, id);
  if (found !== undefined && maySee(caller, found.principal)) return found;
  throw new PalisadeError('not_found', `there is no harness session ${id}`, {
    next: 'register it, or list those that are open',
  });
}
