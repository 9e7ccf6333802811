import { printChecks } from '../doctor/print-checks.ts';
import { serverChecks } from '../doctor/server-checks.ts';
import { stateChecks } from '../doctor/state-checks.ts';
import type { serverDiagnoseCommand } from '../tree/connection-commands.ts';
import type { Handler } from './handler.ts';

/** `pal server diagnose`: what working with a server needs, one by one (AO-036). */
export const execute: Handler<typeof serverDiagnoseCommand> = async (invocation) => {
  const { checks, origin, project } = await serverChecks(invocation);
  return printChecks(invocation, [...(await stateChecks(invocation, origin, project)), ...checks]);
};
