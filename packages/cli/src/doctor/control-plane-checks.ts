import { statSync } from 'node:fs';
import { join } from 'node:path';
import { getTrustRoot, isPalisadeError, listRuns, RUN_TERMINAL } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { toFailure } from '../output/error.ts';
import { count } from '../output/time.ts';
import { findProject } from '../project.ts';
import type { DoctorCheck } from './check.ts';

/** What can be said of this project's control plane. */
export async function controlPlaneChecks(invocation: Invocation): Promise<DoctorCheck[]> {
  try {
    const plane = await invocation.controlPlane();
    const { data } = await invocation.call(listRuns, { limit: 1000 });
    const active = data.filter((run) => !RUN_TERMINAL.has(run.state));
    const orphans = active.filter((run) => !run.owned);
    return [
      { name: 'control plane', result: 'ok', detail: `${plane.directory}  ${plane.database}` },
      permissions(plane.directory),
      orphans.length === 0
        ? {
            name: 'engine',
            result: 'ok',
            detail: `${count(active.length, 'active run')}, each with a live engine`,
          }
        : {
            name: 'engine',
            result: 'warn',
            detail: `${count(orphans.length, 'run')} without a live engine`,
            next: `pal watch ${orphans[0]?.id ?? '-'}`,
          },
      await keys(invocation),
    ];
  } catch (error) {
    if (isPalisadeError(error, 'not_initialized'))
      return [{ name: 'control plane', result: 'warn', detail: 'none here yet', next: 'pal init' }];
    const failure = await toFailure(error);
    return [
      {
        name: 'control plane',
        result: 'fail',
        detail: `${failure.message} (${failure.code})`,
        ...(failure.next === undefined ? {} : { next: failure.next }),
      },
    ];
  }
}

/** The control plane holds keys: nobody else may enter its directory. */
function permissions(directory: string): DoctorCheck {
  const facts = statSync(join(findProject(directory) ?? directory, '.palisade'), { throwIfNoEntry: false });
  if (facts === undefined || process.platform === 'win32')
    return { name: 'permissions', result: 'n/a', detail: 'not checked here' };
  return (facts.mode & 0o077) === 0
    ? { name: 'permissions', result: 'ok', detail: '.palisade is private to its owner' }
    : {
        name: 'permissions',
        result: 'warn',
        detail: 'other users can enter .palisade',
        next: 'chmod 700 .palisade',
      };
}

async function keys(invocation: Invocation): Promise<DoctorCheck> {
  try {
    await invocation.call(getTrustRoot, {});
    return { name: 'keys', result: 'ok', detail: 'the installation can sign evidence' };
  } catch (error) {
    const failure = await toFailure(error);
    return { name: 'keys', result: 'fail', detail: `${failure.message} (${failure.code})` };
  }
}
