import { getClock, reconcileClock } from '@palisade/contracts';
import type { Output } from '../invocation.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import { moment } from '../output/time.ts';
import type { clockCommand, recoverClockCommand } from '../tree/server-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

/** `pal clock`. */
export const show: Handler<typeof clockCommand> = async (invocation) => {
  const answer = await invocation.call(getClock, {});
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: answer.incident === undefined ? [] : [answer.incident.id],
    text: () => said(answer, invocation.settings.times),
  });
  if (answer.status !== 'trusted') invocation.hint('pal recover-clock --reason TEXT');
  return 0;
};

/** `pal recover-clock --reason TEXT` (AO-178): about the incident that is open now. */
export const recover: Handler<typeof recoverClockCommand> = async (invocation, _args, flags) => {
  const { reason, keepAhead } = flags;
  if (reason === undefined)
    throw new UsageError('it does not say what had happened', {
      next: 'pal recover-clock --reason "the battery of the board was changed"',
    });
  const { incident } = await invocation.call(getClock, {});
  // Without any incident the operation says so: this is the id of none.
  const id = incident?.id ?? `clk_${'0'.repeat(32)}`;
  const answer = await invocation.call(reconcileClock, {
    incident_id: id,
    reason,
    ...(keepAhead ? { keep_ahead: true } : {}),
    ...invocation.rehearsed,
  });
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [id],
    text: () => [`${outcome(invocation, 'trust again')}the clock  ${id}`],
  });
  return 0;
};

function said(
  { status, incident, ahead_ms: ahead }: Output<typeof getClock>,
  times: Parameters<typeof moment>[1],
): readonly string[] {
  if (incident === undefined) return ['trusted  it never went back'];
  const { id, observed_wall_time: observed, high_water_time: highWater } = incident;
  const { recovered_at: at, recovered_by: by = '', recovery_reason: reason = '' } = incident;
  const seconds = Math.ceil((highWater - observed) / 1_000);
  return [
    `${status === 'trusted' ? 'trusted' : 'not trusted'}  ${id}`,
    `went back by ${seconds} s, from ${moment(highWater, times)}`,
    ...(ahead === undefined ? [] : [`taken to be ${ahead / 86_400_000} days later than it says`]),
    ...(at === undefined
      ? []
      : [`trusted again ${moment(at, times)} by ${foreignLine(by)}: ${foreignLine(reason)}`]),
  ];
}
