import {
  bindOperation,
  type BoundOperation,
  type ClockView,
  getClock,
  reconcileClock,
} from '@palisade/contracts';
import {
  type ClockIncident,
  type Database,
  latestClockIncident,
  recoverClock,
  ROLLBACK_MS,
} from '@palisade/kernel';
import { change } from '../callers/change.ts';

/** The operations on the clock of the installation (AC-275, AO-202): who has the scope `system` answers for it. */
export function clockOperations(database: Database): BoundOperation[] {
  return [
    bindOperation(getClock, async () => viewOf(await database.read(latestClockIncident))),
    bindOperation(reconcileClock, async ({ dry_run: dryRun, ...request }, context) => {
      const { incident_id: target, reason } = request;
      const made = { operation: reconcileClock, action: 'clock.reconciled', target } as const;
      const how = { ...made, request, dryRun, whilePaused: true };
      const { answer } = await change(database, context, how, async (tx) => ({
        answer: viewOf(await recoverClock(tx, target, { by: context.actor, reason })),
        target,
      }));
      return answer;
    }),
  ];
}

function viewOf(incident: ClockIncident | null): ClockView {
  const status = incident === null || incident.recovered !== undefined ? 'trusted' : 'clock_reconciliation';
  if (incident === null) return { status, rollback_threshold_ms: ROLLBACK_MS };
  const { id, observedWall, highWater, recovered } = incident;
  return {
    status,
    rollback_threshold_ms: ROLLBACK_MS,
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
