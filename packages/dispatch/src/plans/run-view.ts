import { RUN_TERMINAL, type RunView } from '@palisade/contracts';
import type { ReadTx } from '@palisade/kernel';
import type { RootRun } from '@palisade/runs';
import { runLease } from '../engine/take-run.ts';
import { troublesOf } from '../engine/trouble-store.ts';

/** Root runs as people see them. Costs three statements a run, whatever its size. */
export async function runView(tx: ReadTx, run: RootRun): Promise<RunView> {
  const rows = await tx.sql.all<{ state: string; n: number }>(
    'SELECT state, COUNT(*) AS n FROM plan_items WHERE run_id = ? GROUP BY state',
    [run.id],
  );
  const lease = RUN_TERMINAL.has(run.state) ? null : await tx.leases.read(runLease(run.id));
  const { base } = run;
  const [troubled] = run.finishedAt === null ? await troublesOf(tx, run.id) : [];
  return {
    id: run.id,
    kind: run.kind,
    title: run.title,
    queue: run.queue,
    state: run.state,
    actor: run.actor,
    submitted_at: run.submittedAt,
    ...(run.startedAt === null ? {} : { started_at: run.startedAt }),
    ...(run.finishedAt === null ? {} : { finished_at: run.finishedAt }),
    ...(run.reason === null ? {} : { reason: run.reason }),
    cancel_requested: run.cancelRequestedAt !== null,
    owned: lease !== null && lease.expiresAt > Date.now(),
    sealed: run.sealedAt !== null,
    ...(troubled === undefined
      ? {}
      : { trouble: { ...troubled[1], ...(troubled[0] === null ? {} : { item: troubled[0] }) } }),
    counts: {
      pending: 0,
      ready: 0,
      running: 0,
      done: 0,
      failed: 0,
      skipped: 0,
      canceled: 0,
      denied: 0,
      ...Object.fromEntries(rows.map((row) => [row.state, row.n])),
    },
    workspace:
      base.kind === 'git'
        ? {
            kind: 'git',
            repository: base.topLevel,
            commit: base.commit,
            ...(base.branch === undefined ? {} : { branch: base.branch }),
          }
        : { kind: 'empty' },
    ...(run.rerunOf === null ? {} : { rerun_of: run.rerunOf }),
  };
}
