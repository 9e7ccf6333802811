import { type Caller, type ScheduleSlot, type ScheduleView } from '@palisade/contracts';
import { shownPath } from '../plans/shown-path.ts';
import { isOverdue, type Schedule } from './schedule.ts';

/** A schedule as a caller sees it. */
export function scheduleView(
  schedule: Schedule,
  last: ScheduleSlot | undefined,
  now: number,
  caller: Caller,
): ScheduleView {
  const { nextSlot, tryAt } = schedule;
  return {
    name: schedule.name,
    cron: schedule.cron,
    zone: schedule.zone,
    catch_up: schedule.catchUp,
    catch_up_limit: schedule.catchUpLimit,
    overlap: schedule.overlap,
    state: schedule.state,
    ...(schedule.reason === null ? {} : { reason: schedule.reason }),
    actor: schedule.actor,
    created_at: schedule.createdAt,
    title: schedule.title,
    ...(schedule.repository === null ? {} : { repository: shownPath(caller, schedule.repository) }),
    ...(schedule.base === null ? {} : { base: schedule.base }),
    ...(nextSlot === null ? {} : { next_slot: nextSlot }),
    ...(tryAt === null || tryAt === nextSlot ? {} : { next_try_at: tryAt }),
    overdue: isOverdue(schedule, now),
    ...(last === undefined ? {} : { last }),
    failures: schedule.failures,
    ...(schedule.lastError === null ? {} : { last_error: schedule.lastError }),
  };
}
