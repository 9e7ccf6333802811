import { localChecks } from '../doctor/local-checks.ts';
import { policyCheck } from '../doctor/policy-check.ts';
import { sandboxChecks } from '../doctor/sandbox-check.ts';
import type { DoctorCheck } from '../doctor/check.ts';
import { controlPlaneChecks } from '../doctor/control-plane-checks.ts';
import { emit } from '../output/format.ts';
import { renderRow } from '../output/row.ts';
import { count } from '../output/time.ts';
import type { doctorCommand } from '../tree/installation-commands.ts';
import type { Handler } from './handler.ts';

/** `pal doctor`: exit 1 when a check fails. Nothing it prints is secret: the report can be shared. */
export const execute: Handler<typeof doctorCommand> = async (invocation) => {
  const checks: DoctorCheck[] = [
    ...(await localChecks(invocation)),
    ...(await sandboxChecks()),
    ...(await policyCheck(invocation)),
    ...(await controlPlaneChecks(invocation)),
  ];
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
};
