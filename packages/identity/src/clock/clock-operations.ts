import {
  bindOperation,
  type BoundOperation,
  type ClockView,
  getClock,
  isHost,
  PalisadeError,
  reconcileClock,
} from '@palisade/contracts';
import {
  clockAhead,
  type Database,
  latestClockIncident,
  type ReadTx,
  recoverClock,
  ROLLBACK_MS,
} from '@palisade/kernel';
import { change } from '../callers/change.ts';

/** The operations on the clock of the installation (AC-275, AO-202): who has the scope `system` answers for it. */
export function clockOperations(database: Database): BoundOperation[] {
  return [
    bindOperation(getClock, () => database.read(view)),
    bindOperation(reconcileClock, async ({ dry_run: dryRun, ...request }, context) => {
      const { incident_id: target, reason, keep_ahead: keepAhead = false } = request;
      const made = { operation: reconcileClock, action: 'clock.reconciled', target } as const;
      const how = { ...made, request, dryRun, whilePaused: true };
      const { answer } = await change(database, context, how, async (tx) => {
        if (keepAhead && !isHost(context.caller))
          throw new PalisadeError('operation_not_permitted', 'time is kept ahead on the host alone', {
            why: 'every date of this installation stays ahead for good',
            next: 'palisade recover-clock --keep-ahead --reason TEXT, where the control plane is',
          });
        await recoverClock(tx, target, { by: context.actor, reason, keepAhead });
        return { answer: await view(tx), target };
      });
      return answer;
    }),
  ];
}

async function view(tx: ReadTx): Promise<ClockView> {
  const [incident, ahead] = [await latestClockIncident(tx), await clockAhead(tx)];
  const status = incident === null || incident.recovered !== undefined ? 'trusted' : 'clock_reconciliation';
  const facts = {
    status,
    rollback_threshold_ms: ROLLBACK_MS,
    ...(ahead === 0 ? {} : { ahead_ms: ahead }),
  } as const;
  if (incident === null) return facts;
  const { id, observedWall, highWater, recovered } = incident;
  return {
    ...facts,
    incident: {
      id,
      observed_wall_time: observedWall,
      high_water_time: highWater,
      ...(recovered === undefined
        ? {}
        : { recovered_at: recovered.at, recovered_by: recovered.by, recovery_reason: recovered.reason }),
    },
  };
}
