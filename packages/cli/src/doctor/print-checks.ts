import type { Invocation } from '../invocation.ts';
import { emit } from '../output/format.ts';
import { renderRow } from '../output/row.ts';
import { count } from '../output/time.ts';
import type { DoctorCheck } from './check.ts';

/** Prints checks, a row each, and how many failed. Resolves to the exit code: 1 when one did. */
export function printChecks(invocation: Invocation, checks: readonly DoctorCheck[]): number {
  const failed = checks.filter((check) => check.result === 'fail').length;
  const warned = checks.filter((check) => check.result === 'warn').length;
  emit(invocation, {
    json: { ok: failed === 0, checks },
    records: checks,
    ids: checks.map((check) => check.name),
    text: () => [
      ...checks.map((check) =>
        renderRow(
          { state: check.result, id: check.name, title: check.detail, aside: check.next ?? '' },
          { ...invocation.settings.style, columns: undefined },
          14,
        ),
      ),
      failed + warned === 0
        ? 'all well   (report safe to share)'
        : `${failed} failed, ${count(warned, 'warning')}   (report safe to share)`,
    ],
  });
  return failed === 0 ? 0 : 1;
}
