import * as z from 'zod';
import { operation } from './operation.ts';
import { Millis } from './schema.ts';

/** Id of one time that the clock went back. */
const IncidentId = z.string().regex(/^clk_[0-9a-f]{32}$/);

/** Whether the clock is believed that leases and deadlines are decided by (AC-275, AO-202). Times in Unix ms. */
export const ClockView = z.strictObject({
  status: z.enum(['trusted', 'clock_reconciliation']),
  /** How far the clock may be behind what was handed out before it is not believed, ms. */
  rollback_threshold_ms: z.int().positive(),
  /** By how much the clock is taken to be later than it says, since a recovery that kept time ahead; absent when it is not. */
  ahead_ms: z.int().positive().optional(),
  /** The open incident, or else the latest one. */
  incident: z
    .strictObject({
      id: IncidentId,
      /** What the clock said. */
      observed_wall_time: Millis,
      /** The latest moment that was handed out. */
      high_water_time: Millis,
      recovered_at: Millis.optional(),
      recovered_by: z.string().optional(),
      recovery_reason: z.string().optional(),
    })
    .optional(),
});
export type ClockView = z.infer<typeof ClockView>;

export const getClock = operation({
  id: 'clock.get',
  method: 'GET',
  path: '/v1/admin/clock',
  summary: 'Whether the clock is trusted, and what happened when it was not',
  effect: 'read',
  access: 'system',
  input: z.strictObject({}),
  output: ClockView,
  errors: [],
});

export const reconcileClock = operation({
  id: 'clock.reconcile',
  method: 'POST',
  path: '/v1/admin/clock/reconcile',
  summary: 'Say that a clock which went back is right again; nothing that has run out meanwhile comes back',
  effect: 'privileged',
  access: 'system',
  input: z.strictObject({
    incident_id: IncidentId,
    reason: z.string().trim().min(1).max(2_000),
    /** Believes the clock before it has caught up, and takes it to be later than it says from then on: for the host alone. */
    keep_ahead: z.boolean().optional(),
    /** Answers what would become of it, and changes nothing. */
    dry_run: z.boolean().optional(),
  }),
  output: ClockView,
  errors: ['clock_incident_changed', 'clock_still_untrusted', 'clock_not_paused', 'operation_not_permitted'],
});
