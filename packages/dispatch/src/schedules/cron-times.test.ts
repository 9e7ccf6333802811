import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cronTimes, nextTimes } from './cron-times.ts';

const iso = (times: readonly number[]): string[] =>
  times.map((time) => new Date(time).toISOString().slice(5, 16));
const from = (text: string): number => Date.parse(text);

describe('due times of a cron expression', () => {
  it('DI-210: in the spring gap of a zone one time of the day is served at its end, and hours go on', () => {
    const night = from('2026-03-28T12:00Z');
    // On 29 March 2026 Berlin has no time between 02:00 and 03:00.
    expect(iso(nextTimes(cronTimes('30 2 * * *', 'Europe/Berlin'), night, 3))).toEqual([
      '03-29T01:00',
      '03-30T00:30',
      '03-31T00:30',
    ]);
    expect(iso(nextTimes(cronTimes('0 * * * *', 'Europe/Berlin'), from('2026-03-28T23:30Z'), 3))).toEqual([
      '03-29T00:00',
      '03-29T01:00',
      '03-29T02:00',
    ]);
  });

  it('FF-096 DI-210: in the repeated autumn hour one time of the day is served once, and intervals go on through it', () => {
    // On 25 October 2026 Berlin has the time between 02:00 and 03:00 twice.
    expect(iso(nextTimes(cronTimes('30 2 * * *', 'Europe/Berlin'), from('2026-10-24T12:00Z'), 2))).toEqual([
      '10-25T00:30',
      '10-26T01:30',
    ]);
    const minutes = cronTimes('* * * * *', 'Europe/Berlin');
    for (let hour = 0; hour < 6; hour++) {
      const start = from('2026-10-24T22:00Z') + hour * 3_600_000;
      expect(minutes.count(start, start + 3_599_999)).toBe(60);
    }
  });

  it.each([
    ['UTC', '*/5 * * * *'],
    ['America/New_York', '30 1 * * *'],
    ['America/New_York', '30 2 * * 0'],
    ['Europe/Berlin', '30 2 * * *'],
    ['Australia/Lord_Howe', '45 1 * * *'],
    ['Asia/Kathmandu', '*/7 3-5 1,15 * *'],
  ])('looking back and looking forward agree in %s for %s', (zone, cron) => {
    const times = cronTimes(cron, zone);
    const year = { min: from('2026-01-01T00:00Z'), max: from('2027-01-01T00:00Z') };
    fc.assert(
      fc.property(fc.integer(year), (at) => {
        const next = times.after(at) ?? 0;
        expect(times.after(next - 1)).toBe(next);
        expect(times.latest(0, next, 1)).toEqual([next]);
        expect(times.latest(at + 1, next, 3)).toEqual([next]);
        expect(times.count(at + 1, next)).toBe(1);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    [
      '* * * *',
      'UTC',
      'cron: "* * * *" has 4 fields; it takes five: minute, hour, day of month, month, day of week',
    ],
    [
      '@daily',
      'UTC',
      'cron: "@daily" has 1 field; it takes five: minute, hour, day of month, month, day of week',
    ],
    ['0 25 * * *', 'UTC', 'cron: "25" is no hour (0-23)'],
    ['0 0 * FOO *', 'UTC', 'cron: "FOO" is no month (1-12 or JAN-DEC)'],
    ['0 0 31 2 *', 'UTC', 'cron: "0 0 31 2 *" names no time there ever is'],
    [
      '0 0 * * *',
      'Europe/Berlun',
      'zone: there is no time zone "Europe/Berlun"; the nearest is Europe/Berlin',
    ],
    ['0 0 * * *', '+02:00', 'zone: there is no time zone "+02:00"; it is an IANA name such as Europe/Berlin'],
  ])('DI-210: %s in %s is refused with what is wrong', (cron, zone, message) => {
    expect(() => cronTimes(cron, zone)).toThrow(message);
  });
});
