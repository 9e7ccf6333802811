import { PalisadeError } from '@palisade/contracts';

const NAME = 'PALISADE_SESSION_IDLE_DAYS';
const DEFAULT_DAYS = 7;
const MOST_DAYS = 366;

/**
 * The operator's setting `PALISADE_SESSION_IDLE_DAYS`: after how many days without a change a harness session is closed, 7 unless it is
 * set, 0 for never (AC-062, AO-207). Raises `invalid_input`.
 */
export function sessionIdleSetting(env: Readonly<Record<string, string | undefined>>): number {
  const text = env[NAME];
  if (text === undefined || text === '') return DEFAULT_DAYS;
  if (/^\d{1,3}$/.test(text) && Number(text) <= MOST_DAYS) return Number(text);
  throw new PalisadeError('invalid_input', `${NAME} must be a whole number of days from 0 to ${MOST_DAYS}`, {
    next: 'leave it out for 7 days, or set 0 to close none',
  });
}
