import { limits, PalisadeError } from '@palisade/contracts';

const DAY_MS = 86_400_000;

/**
 * The operator's setting `PALISADE_RETENTION_DAYS`: for how many days the data of a run are kept after it
 * ended. Gives milliseconds, or null, for ever, when it is not set; `invalid_input` when it is not a whole
 * number from 1 to 2555 (DI-080).
 */
export function retentionSetting(env: Readonly<Record<string, string | undefined>>): number | null {
  const text = env['PALISADE_RETENTION_DAYS'];
  if (text === undefined || text === '') return null;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 1 && value <= limits.retentionDays) return value * DAY_MS;
  throw new PalisadeError(
    'invalid_input',
    `PALISADE_RETENTION_DAYS must be a whole number of days from 1 to ${limits.retentionDays}`,
    { next: 'leave it out to keep runs for ever' },
  );
}
