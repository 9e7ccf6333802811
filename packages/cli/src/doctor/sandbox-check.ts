import { toFailure } from '../output/error.ts';
import { foreignLine } from '../output/foreign-text.ts';
import type { DoctorCheck } from './check.ts';

/** Which sandbox a run gets on this machine, and why none that is stronger. */
export async function sandboxCheck(): Promise<DoctorCheck> {
  const name = 'sandbox';
  try {
    const { probeSandboxes } = await import('@palisade/server');
    const missing: string[] = [];
    let next: string | undefined;
    for (const report of await probeSandboxes()) {
      if (!report.available) {
        next ??= report.next;
        const reason = foreignLine(report.reason);
        if (report.missing !== true)
          return {
            name,
            result: 'fail',
            detail: `${report.name} is installed and does not work, so that runs are refused: ${reason}`,
            ...(report.next === undefined ? {} : { next: foreignLine(report.next) }),
          };
        missing.push(`${report.name} is missing: ${reason}`);
        continue;
      }
      const isBoundary = !report.posture.includes('unsandboxed-host');
      const given = `${report.name}  ${isBoundary ? report.posture.join(', ') : 'no boundary: agents run with your rights'}`;
      return {
        name,
        result: isBoundary && missing.length === 0 ? 'ok' : 'warn',
        detail: [given, ...missing].join('; '),
        ...(next === undefined ? {} : { next: foreignLine(next) }),
      };
    }
    return { name, result: 'fail', detail: missing.join('; '), ...(next === undefined ? {} : { next }) };
  } catch (error) {
    const failure = await toFailure(error);
    return {
      name,
      result: 'fail',
      detail: `${foreignLine(failure.message)} (${failure.code})`,
      ...(failure.next === undefined ? {} : { next: failure.next }),
    };
  }
}
