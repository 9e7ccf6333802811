import type { Fields } from '../events.ts';
import { fields } from '../harnesses/fields.ts';

/** Within the years of computers and of agents' clocks that are not wrong beyond use. */
const [EARLIEST, LATEST] = [Date.UTC(2000), Date.UTC(2200)];

/** When a record was written, Unix ms; undefined when it does not say. */
export function recordTime(record: Fields): number | undefined {
  const { info, session } = record;
  const created = fields(fields(info ?? session)['time'])['created'];
  return moment(record['timestamp'] ?? created ?? record['startTime']);
}

/** The same from the beginning of a line that is not parsed. */
export function timeInText(beginning: string): number | undefined {
  return moment(/"timestamp":"([^"]{10,40})"/.exec(beginning)?.[1]);
}

function moment(value: unknown): number | undefined {
  const at = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return at >= EARLIEST && at < LATEST ? Math.trunc(at) : undefined;
}
