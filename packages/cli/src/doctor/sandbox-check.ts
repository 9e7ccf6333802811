import { isolationOf } from '@palisade/contracts';
import type { SandboxReport } from '@palisade/server';
import { toFailure } from '../output/error.ts';
import { foreignLine } from '../output/foreign-text.ts';
import type { DoctorCheck } from './check.ts';

/**
 * Which sandbox a run gets on this machine, and why none that is stronger; then every other boundary that
 * can be had by name, or should be there and does not work.
 */
export async function sandboxChecks(): Promise<readonly DoctorCheck[]> {
  const name = 'sandbox';
  try {
    const { probeSandboxes } = await import('@palisade/server');
    const reports = await probeSandboxes();
    const first = reports.findIndex((report) => report.available || report.missing !== true);
    const asked = first === -1 ? reports.length : first + 1;
    return [defaultCheck(reports.slice(0, asked)), ...reports.slice(asked).flatMap(otherCheck)];
  } catch (error) {
    const failure = await toFailure(error);
    const detail = `${foreignLine(failure.message)} (${failure.code})`;
    return [{ name, result: 'fail', detail, ...helpFor(failure.next) }];
  }
}

/** @param reports what is missing, and the first that is not */
function defaultCheck(reports: readonly SandboxReport[]): DoctorCheck {
  const name = 'sandbox';
  const missing: string[] = [];
  let next: string | undefined;
  for (const report of reports) {
    if (!report.available) {
      next ??= report.next;
      const reason = foreignLine(report.reason);
      if (report.missing !== true) {
        const detail = `${report.name} is installed and does not work, so that runs are refused: ${reason}`;
        return { name, result: 'fail', detail, ...helpFor(report.next) };
      }
      missing.push(`${report.name} is missing: ${reason}`);
      continue;
    }
    const isBoundary = hasBoundary(report.posture);
    const given = `${report.name}  ${isBoundary ? report.posture.join(', ') : 'no boundary: agents run with your rights'}`;
    return {
      name,
      result: isBoundary && missing.length === 0 ? 'ok' : 'warn',
      detail: [given, ...missing].join('; '),
      ...helpFor(next),
    };
  }
  return { name, result: 'fail', detail: missing.join('; '), ...helpFor(next) };
}

function otherCheck(report: SandboxReport): readonly DoctorCheck[] {
  const { name } = report;
  if (report.available)
    return hasBoundary(report.posture)
      ? [{ name, result: 'ok', detail: `by --sandbox ${name}  ${report.posture.join(', ')}` }]
      : [];
  if (report.missing === true) return [];
  const detail = `--sandbox ${name} does not work: ${foreignLine(report.reason)}`;
  return [{ name, result: 'warn', detail, ...helpFor(report.next) }];
}

function hasBoundary(posture: readonly string[]): boolean {
  return isolationOf(posture) === 'sandboxed';
}

function helpFor(next: string | undefined): { readonly next?: string } {
  return next === undefined ? {} : { next: foreignLine(next) };
}
