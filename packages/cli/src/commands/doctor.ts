import { printChecks } from '../doctor/print-checks.ts';
import { localChecks } from '../doctor/local-checks.ts';
import { policyCheck } from '../doctor/policy-check.ts';
import { sandboxChecks } from '../doctor/sandbox-check.ts';
import type { DoctorCheck } from '../doctor/check.ts';
import { controlPlaneChecks } from '../doctor/control-plane-checks.ts';
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
  return printChecks(invocation, checks);
};
