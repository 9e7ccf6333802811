/*
 * How often items of a queue may start: `starts` in every window, as a bucket that holds `starts` and is filled
 * evenly. It is kept as one number, the moment at which the bucket will be full again, in microseconds of
 * protected time so that nothing is lost by rounding.
 */

/** At most `starts` in `windowMs`. */
export interface Rate {
  readonly starts: number;
  readonly windowMs: number;
}

/** The rate two columns keep: both null where there is none. */
export function rateOf(starts: number | null, windowMs: number | null): Rate | null {
  return starts === null || windowMs === null ? null : { starts, windowMs };
}

/** Starts that are possible at `now` (protected ms) of a bucket that is full at `fullAt` (µs). */
export function startsLeft(rate: Rate, fullAt: number, now: number): number {
  const missing = Math.max(0, fullAt - now * 1000);
  return Math.max(0, Math.min(rate.starts, Math.floor(rate.starts - missing / intervalOf(rate) + 1e-9)));
}

/** When the bucket is full again after `n` starts at `now`. */
export function afterStarts(rate: Rate, fullAt: number, now: number, n: number): number {
  return Math.ceil(Math.max(fullAt, now * 1000) + n * intervalOf(rate));
}

/** Protected ms at which one more start is possible. */
export function nextStartAt(rate: Rate, fullAt: number, now: number): number {
  if (startsLeft(rate, fullAt, now) > 0) return now;
  return Math.max(now + 1, Math.ceil((fullAt - (rate.starts - 1) * intervalOf(rate)) / 1000));
}

function intervalOf({ starts, windowMs }: Rate): number {
  return (windowMs * 1000) / starts;
}

/** `30/m` as people write it: starts per second, minute, hour or day; null for anything else. */
export function parseRate(text: string): Rate | null {
  const [, starts, unit = ''] = /^([1-9]\d{0,5})\/(s|m|h|d)$/.exec(text) ?? [];
  const windowMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit];
  return starts === undefined || windowMs === undefined ? null : { starts: Number(starts), windowMs };
}

/** The inverse of {@link parseRate}. */
export function rateText({ starts, windowMs }: Rate): string {
  const unit = { 1_000: 's', 60_000: 'm', 3_600_000: 'h', 86_400_000: 'd' }[windowMs];
  return `${starts}/${unit ?? `${windowMs / 1000}s`}`;
}
