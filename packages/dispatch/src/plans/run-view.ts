import {
  type Caller,
  type ItemState,
  noItems,
  type Paused,
  RUN_TERMINAL,
  type RunView,
} from '@palisade/contracts';
import { aboutNow, type ReadTx } from '@palisade/kernel';
import { readOpenness, type RootRun } from '@palisade/runs';
import { budgetView } from '../flow/budget-view.ts';
import { queuePause } from '../flow/queue-pause-store.ts';
import { runLease } from '../engine/run-lease.ts';
import { troublesOf } from '../engine/trouble-store.ts';
import { openOf } from '../requests/request-store.ts';
import { shownPath } from './shown-path.ts';

/** A root run as a caller sees it, with how many of its items are in each state. */
export async function runView(
  tx: ReadTx,
  run: RootRun,
  counts: Readonly<Record<ItemState, number>>,
  caller: Caller,
): Promise<RunView> {
  const lease = RUN_TERMINAL.has(run.state) ? null : await tx.leases.read(runLease(run.id));
  const requests = run.finishedAt === null ? await openOf(tx, run.id) : null;
  const [troubled] = run.finishedAt === null ? await troublesOf(tx, run.id) : [];
  const paused = run.finishedAt === null ? await pauseView(tx, run) : undefined;
  return {
    id: run.id,
    kind: run.kind,
    title: run.title,
    queue: run.queue,
    ...(run.priority === 0 ? {} : { priority: run.priority }),
    state: run.state,
    actor: run.actor,
    submitted_at: run.submittedAt,
    ...(run.startedAt === null ? {} : { started_at: run.startedAt }),
    ...(run.finishedAt === null ? {} : { finished_at: run.finishedAt }),
    ...(run.reason === null ? {} : { reason: run.reason }),
    cancel_requested: run.cancelRequestedAt !== null,
    ...(paused === undefined ? {} : { paused }),
    owned: lease !== null && lease.expiresAt > (await aboutNow(tx)),
    sealed: run.sealedAt !== null,
    ...(troubled === undefined
      ? {}
      : { trouble: { ...troubled[1], ...(troubled[0] === null ? {} : { item: troubled[0] }) } }),
    counts,
    ...(run.isOpenEnded
      ? { open: run.finishedAt === null && !(await readOpenness(tx, run.id)).isClosed }
      : {}),
    ...(requests === null || requests.open === 0 ? {} : { open_requests: requests.open }),
    ...wakesAt(run, requests?.expiresAt ?? null),
    ...budgetView(run),
    workspace: workspaceView(run, caller),
    ...(run.rerunOf === null ? {} : { rerun_of: run.rerunOf }),
  };
}

/** When a run that waits for people goes on by itself. */
function wakesAt(run: RootRun, expiresAt: number | null): { wakes_at?: number } {
  const at = Math.min(expiresAt ?? Number.POSITIVE_INFINITY, run.deadlineAt ?? Number.POSITIVE_INFINITY);
  return run.state === 'waiting' && Number.isFinite(at) ? { wakes_at: at } : {};
}

async function pauseView(tx: ReadTx, run: RootRun): Promise<RunView['paused']> {
  const { pause } = run;
  if (pause !== null)
    return { at: pause.at, by: pause.by, ...(pause.reason === null ? {} : { reason: pause.reason }) };
  const paused: Paused | undefined = await queuePause(tx, run);
  return paused === undefined ? undefined : { ...paused, queue: true };
}

/** Counts a run's items by their stored state, in one statement whatever the run's size. */
export async function countItems(tx: ReadTx, runId: string): Promise<Record<ItemState, number>> {
  const rows = await tx.sql.all<{ state: ItemState; n: number }>(
    'SELECT state, COUNT(*) AS n FROM plan_items WHERE run_id = ? GROUP BY state',
    [runId],
  );
  const counts = noItems();
  for (const { state, n } of rows) counts[state] = n;
  return counts;
}

/** Where a run's workspaces start. */
export function workspaceView({ base }: RootRun, caller: Caller): RunView['workspace'] {
  return base.kind === 'git'
    ? {
        kind: 'git',
        repository: shownPath(caller, base.topLevel),
        commit: base.commit,
        ...(base.branch === undefined ? {} : { branch: base.branch }),
      }
    : { kind: 'empty' };
}
