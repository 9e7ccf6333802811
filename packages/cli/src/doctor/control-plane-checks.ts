import { statSync } from 'node:fs';
import { join } from 'node:path';
import {
  getTrustRoot,
  isPalisadeError,
  listRuns,
  listSchedules,
  listWebhooks,
  RUN_TERMINAL,
} from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { troubleOf } from '../commands/schedule-rows.ts';
import { toFailure } from '../output/error.ts';
import { count } from '../output/time.ts';
import { nearestProject } from '../project.ts';
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
      ...(await schedules(invocation)),
      ...(await webhooks(invocation)),
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

/** Schedules that wait need an engine, and one that does not go on needs somebody (FF-098). */
async function schedules(invocation: Invocation): Promise<DoctorCheck[]> {
  const { data } = await invocation.call(listSchedules, {});
  const waiting = data.filter(({ state }) => state === 'enabled');
  const troubled = data.find((schedule) => troubleOf(schedule) !== null);
  const name = 'schedules';
  const [first] = waiting;
  if (first !== undefined && !(await (await invocation.controlPlane()).engineLives()))
    return [
      {
        name,
        result: 'warn',
        detail: `${count(waiting.length, 'schedule')} without a live engine`,
        next: `pal schedule resume ${first.name}`,
      },
    ];
  if (troubled !== undefined)
    return [
      {
        name,
        result: 'warn',
        detail: `${troubled.name}: ${troubleOf(troubled)}`,
        next: `pal schedule show ${troubled.name}`,
      },
    ];
  return waiting.length === 0
    ? []
    : [{ name, result: 'ok', detail: `${count(waiting.length, 'schedule')} served` }];
}

/** Messages that did not arrive are told to nobody else. */
async function webhooks(invocation: Invocation): Promise<DoctorCheck[]> {
  const { data } = await invocation.call(listWebhooks, {});
  const name = 'webhooks';
  const disabled = data.find(({ state }) => state === 'disabled');
  if (disabled !== undefined)
    return [
      {
        name,
        result: 'warn',
        detail: `${disabled.name} is disabled: ${disabled.reason ?? 'no reason'}`,
        next: `pal webhook set ${disabled.name}`,
      },
    ];
  const undelivered = data.reduce((sum, each) => sum + each.undelivered, 0);
  if (undelivered > 0)
    return [
      {
        name,
        result: 'warn',
        detail: `${count(undelivered, 'message')} undelivered`,
        next: 'pal webhook deliveries',
      },
    ];
  return data.length === 0 ? [] : [{ name, result: 'ok', detail: count(data.length, 'endpoint') }];
}

/** The control plane holds keys: nobody else may enter its directory. */
function permissions(directory: string): DoctorCheck {
  const facts = statSync(join(nearestProject(directory), '.palisade'), { throwIfNoEntry: false });
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
