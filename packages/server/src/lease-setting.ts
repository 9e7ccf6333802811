import { PalisadeError } from '@palisade/contracts';

/** Below this an engine on a busy machine loses runs it is still working on. */
const LEAST_MS = 500;
const MOST_MS = 3_600_000;

/**
 * The operator's setting `PALISADE_LEASE_MS`: for how many milliseconds an engine owns a run without
 * renewing it. Shorter means that another machine takes over sooner after a crash; longer tolerates
 * longer standstills. Undefined when it is not set; `invalid_input` when it is not a whole number
 * from 500 to 3600000.
 */
export function leaseSetting(env: Readonly<Record<string, string | undefined>>): number | undefined {
  const text = env['PALISADE_LEASE_MS'];
  if (text === undefined || text === '') return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= LEAST_MS && value <= MOST_MS) return value;
  throw new PalisadeError(
    'invalid_input',
    `PALISADE_LEASE_MS must be a whole number of milliseconds from ${LEAST_MS} to ${MOST_MS}`,
  );
}
