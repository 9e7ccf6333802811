import { type InputIssue, limits, nearest, PalisadeError } from '@palisade/contracts';
import { Cron } from 'croner';

/**
 * The due times of a cron expression in a time zone, in ms. Local times that a change of the clock skips
 * are served at the end of the gap when the expression names one time of the day, and left out when it
 * repeats within the hour; times that come twice are served once when it names one time of the day, and
 * go on through both hours when it repeats.
 */
export interface CronTimes {
  /** The first due time after `time`, or null when there is none within the calendar. */
  after(time: number): number | null;
  /** The last `limit` due times from `since` up to `until`, both included, oldest first. */
  latest(since: number, until: number, limit: number): number[];
  /** How many there are from `since` up to `until`, both included; counts to {@link limits.countedSlots}. */
  count(since: number, until: number): number;
}

/** Reads an expression of five fields and the IANA name of a zone; `invalid_input` names what is wrong and where. */
export function cronTimes(expression: string, zone: string): CronTimes {
  const issues = [...zoneIssues(zone), ...expressionIssues(expression)];
  if (issues.length > 0)
    throw new PalisadeError('invalid_input', `${issues[0]?.path}: ${issues[0]?.message}`, { issues });
  const cron = new Cron(expression, { mode: '5-part', timezone: zone });
  const after = (time: number): number | null => cron.nextRun(new Date(time))?.getTime() ?? null;
  const times: CronTimes = {
    after,
    latest: (since, until, limit) =>
      cron
        .previousRuns(limit, new Date(until + 1))
        .map((date) => date.getTime())
        .filter((time) => time >= since && time <= until)
        .toSorted((a, b) => a - b),
    count: (since, until) => {
      let n = 0;
      for (let at = after(since - 1); at !== null && at <= until && n < limits.countedSlots; at = after(at))
        n++;
      return n;
    },
  };
  if (after(0) === null)
    throw new PalisadeError('invalid_input', `cron: "${expression}" names no time there ever is`, {
      issues: [{ path: 'cron', message: 'names no time there ever is' }],
    });
  return times;
}

/** The next `n` due times after `time`. */
export function nextTimes(times: CronTimes, time: number, n: number): number[] {
  const next: number[] = [];
  for (let at = times.after(time); at !== null && next.length < n; at = times.after(at)) next.push(at);
  return next;
}

function zoneIssues(zone: string): InputIssue[] {
  try {
    Intl.DateTimeFormat('en', { timeZone: zone });
    // An offset is no place: it knows no change of the clock, and its sign is read both ways.
    if (!/^[+-]/.test(zone)) return [];
  } catch {
    // Named below.
  }
  const meant = nearest(zone, ['UTC', ...Intl.supportedValuesOf('timeZone')]);
  return [
    {
      path: 'zone',
      message: `there is no time zone "${zone}"; ${meant === undefined ? 'it is an IANA name such as Europe/Berlin' : `the nearest is ${meant}`}`,
    },
  ];
}

const FIELDS = ['minute', 'hour', 'day of month', 'month', 'day of week'] as const;

/** Reads each field for itself, so that the one at fault is named. */
function expressionIssues(expression: string): InputIssue[] {
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== FIELDS.length)
    return [
      {
        path: 'cron',
        message: `"${expression}" has ${fields.length === 1 ? '1 field' : `${fields.length} fields`}; it takes five: ${FIELDS.join(', ')}`,
      },
    ];
  return fields.flatMap((field, i) => {
    const alone = FIELDS.map((_, j) => (i === j ? field : '*')).join(' ');
    return isReadable(alone)
      ? []
      : [{ path: 'cron', message: `"${field}" is no ${FIELDS[i]} (${RANGES[i]})` }];
  });
}

const RANGES = ['0-59', '0-23', '1-31', '1-12 or JAN-DEC', '0-7 or SUN-SAT'] as const;

function isReadable(expression: string): boolean {
  try {
    return new Cron(expression, { mode: '5-part', timezone: 'UTC' }).getPattern() !== undefined;
  } catch {
    return false;
  }
}
