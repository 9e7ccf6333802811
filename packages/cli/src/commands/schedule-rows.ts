import type { ScheduleSlot, ScheduleView } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import { type Row, renderRows } from '../output/row.ts';
import { moment } from '../output/time.ts';

/** Schedules a line each, with what is wrong below the one it is about. */
export function scheduleLines(invocation: Invocation, schedules: readonly ScheduleView[]): string[] {
  const { style, times } = invocation.settings;
  return renderRows(
    schedules.map((schedule) => scheduleRow(schedule, times)),
    style,
  ).flatMap((line, i) => {
    const trouble = schedules[i] === undefined ? null : troubleOf(schedules[i]);
    return trouble === null ? [line] : [line, `  ${trouble}`];
  });
}

function scheduleRow(schedule: ScheduleView, times: 'local' | 'utc'): Row {
  const next = schedule.state === 'enabled' ? schedule.next_slot : undefined;
  return {
    state: scheduleWord(schedule),
    id: schedule.name,
    title: `${schedule.cron}  ${schedule.zone}  ${schedule.title}`,
    aside: next === undefined ? '' : `next ${moment(next, times)}`,
  };
}

function scheduleWord({ state, overdue, last_error: error }: ScheduleView): string {
  if (state !== 'enabled') return state;
  return overdue ? 'overdue' : error === undefined ? 'ok' : 'retry';
}

/** What is wrong with a schedule, in one line; null when nothing is. */
export function troubleOf({ state, reason, overdue, last_error: error }: ScheduleView): string | null {
  const last = error === undefined ? '' : `${foreignLine(error.message)} (${foreignLine(error.code)})`;
  if (state === 'suspended') return [foreignLine(reason ?? 'suspended'), last].filter(Boolean).join(': ');
  if (state === 'paused') return null;
  if (last !== '') return `the last try failed: ${last}`;
  return overdue ? 'a due time passed and nobody served it' : null;
}

/** What became of due times, a line each. */
export function slotLines(invocation: Invocation, slots: readonly ScheduleSlot[]): string[] {
  const { style, times } = invocation.settings;
  return renderRows(
    slots.map(({ slot, at, outcome: what, run_id: run, covers, reason }) => ({
      state: what === 'submitted' ? 'ok' : what,
      id: slot === undefined ? `asked for ${moment(at, times)}` : moment(slot, times),
      title: [run ?? '', reason ?? ''].filter((part) => part !== '').join('  '),
      aside: covers > 1 ? `covers ${covers}` : '',
    })),
    style,
  );
}

/** Prints what a change made of a schedule. */
export function printChanged(
  invocation: Invocation,
  answer: { readonly schedule: ScheduleView },
  verb: string,
): void {
  const { schedule } = answer;
  const next =
    schedule.next_slot === undefined ? '' : `  next ${moment(schedule.next_slot, invocation.settings.times)}`;
  emit(invocation, {
    json: answer,
    records: [schedule],
    ids: [schedule.name],
    text: () => [`${outcome(invocation, verb)}${schedule.name}  ${schedule.state}${next}`],
  });
}
