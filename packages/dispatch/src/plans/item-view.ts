import {
  ITEM_TERMINAL,
  type ItemState,
  type ItemView,
  type ProductFacts,
  type RequestView,
  type Trouble,
} from '@palisade/contracts';
import { aboutNow, type ReadTx, type SqlRow } from '@palisade/kernel';
import { listChildRuns, type RootRun } from '@palisade/runs';
import { readQueue } from '../flow/queue-limits.ts';
import { queuePause } from '../flow/queue-pause-store.ts';
import { rateText, startsLeft } from '../flow/rate.ts';
import { otherUsers } from '../engine/queue-store.ts';
import { troublesOf } from '../engine/trouble-store.ts';
import { lockHolders } from '../locks/lock-store.ts';
import { requestsOfRun } from '../requests/request-store.ts';
import { viewOf } from '../requests/view-of.ts';
import type { FrozenPlan } from './frozen-plan.ts';

/** A run's items as people see them, each with why it is where it is (DI-167). */
export async function itemViews(tx: ReadTx, run: RootRun, plan: FrozenPlan): Promise<ItemView[]> {
  const rows = await tx.sql.all(
    `SELECT ordinal, state, attempt, child_run_id, next_attempt_at, started_at, finished_at, code, reason, product,
       settled_by, growth_fault FROM plan_items WHERE run_id = ? ORDER BY ordinal`,
    [run.id],
  );
  const byOrdinal = new Map(rows.map((row) => [Number(row['ordinal']), row]));
  const attempts = new Map((await listChildRuns(tx, run.id)).map((child) => [child.id, child]));
  const states = new Map(
    plan.items.map((item, i) => [item.id, String(byOrdinal.get(i)?.['state'] ?? 'pending')]),
  );
  const isLive = run.finishedAt === null;
  const wanted = isLive
    ? [...new Set(plan.items.filter((item) => waits(states.get(item.id))).flatMap((item) => item.locks))]
    : [];
  const holders = await lockHolders(tx, run.project, wanted.slice(0, 500));
  const running = [...states.values()].filter((state) => state === 'running').length;
  const troubles = isLive ? await troublesOf(tx, run.id) : new Map<string | null, Trouble>();
  const requests = new Map((await requestsOfRun(tx, run.id)).map((request) => [request.itemId, request]));
  const paused = isLive ? (run.pause?.by ?? (await queuePause(tx, run))?.by) : undefined;
  const held =
    paused === undefined
      ? undefined
      : `${run.pause === null ? `queue ${run.queue}` : 'the run'} was paused by ${paused}`;
  const now = await aboutNow(tx);
  const queue = isLive ? await readQueue(tx, run.project, run.queue) : undefined;
  const rateWait =
    queue !== undefined && queue.rate !== null && startsLeft(queue.rate, queue.fullAt, now) === 0
      ? `waits for the rate of queue ${run.queue}: ${rateText(queue.rate)} starts`
      : undefined;
  const others = isLive ? await otherUsers(tx, run, run.id) : [];
  return plan.items.map((item, i) => {
    const row = byOrdinal.get(i) ?? {};
    const blockedBy = item.dependsOn.filter((id) => states.get(id) !== 'done');
    const stored = states.get(item.id) ?? 'pending';
    const state = (stored === 'pending' && blockedBy.length === 0 && isLive ? 'ready' : stored) as ItemState;
    const child = text(row, 'child_run_id');
    const trouble = troubles.get(item.id);
    const attempt = child === undefined ? undefined : attempts.get(child);
    const code = text(row, 'code') ?? attempt?.code ?? undefined;
    const locks = item.locks.map((key) => {
      const holder = holders.get(key);
      const isOther = holder !== undefined && !(holder.runId === run.id && holder.itemId === item.id);
      return { key, ...(isOther ? { held_by: `${holder.runId}/${holder.itemId}` } : {}) };
    });
    const request = requests.get(item.id);
    const asked = request === undefined ? undefined : viewOf(request, run.title, now);
    const reason =
      text(row, 'reason') ??
      text(row, 'growth_fault') ??
      (ITEM_TERMINAL.has(state)
        ? undefined
        : state === 'needs_input'
          ? askReason(asked)
          : (heldReason(state, held ?? (blockedBy.length === 0 ? rateWait : undefined)) ??
            waitReason(state, blockedBy, locks, running, plan, row, others)));
    return {
      id: item.id,
      title: item.title,
      state,
      attempt: Number(row['attempt'] ?? 0),
      max_attempts: item.maxAttempts,
      depends_on: [...item.dependsOn],
      blocked_by: ITEM_TERMINAL.has(state) ? [] : blockedBy,
      locks,
      ...(reason === undefined ? {} : { reason }),
      ...(text(row, 'settled_by') === undefined ? {} : { settled_by: text(row, 'settled_by') }),
      ...(item.grownBy === undefined ? {} : { grown_by: item.grownBy }),
      ...(child === undefined ? {} : { run: child }),
      ...(attempt === undefined || attempt.outcome === null ? {} : { outcome: attempt.outcome }),
      ...(attempt === undefined || attempt.exitCode === null ? {} : { exit_code: attempt.exitCode }),
      ...(code === undefined || state === 'done' ? {} : { code }),
      ...(attempt === undefined || attempt.worker === null || attempt.finishedAt !== null
        ? {}
        : { worker: attempt.worker }),
      ...(trouble === undefined ? {} : { trouble }),
      ...optionalMillis(row, 'started_at'),
      ...optionalMillis(row, 'finished_at'),
      ...optionalMillis(row, 'next_attempt_at'),
      ...(item.approval === undefined
        ? { sandbox: item.sandbox.provider, isolation: item.sandbox.isolation }
        : {}),
      ...(attempt === undefined ? {} : { manifest_ref: attempt.manifestRef }),
      ...(asked === undefined ? {} : { request: asked }),
      ...(typeof row['product'] === 'string' ? { product: JSON.parse(row['product']) as ProductFacts } : {}),
    };
  });
}

function waits(state: string | undefined): boolean {
  return state === 'pending' || state === 'ready';
}

function askReason(asked: RequestView | undefined): string {
  switch (asked?.state) {
    case 'answered':
    case 'approved':
    case 'denied':
      return `${asked.state} by ${asked.answered_by}; goes on when an engine takes it up`;
    case 'expired':
      return 'nobody decided in time; goes on when an engine takes it up';
    default:
      return asked?.kind === 'approval' ? 'waits for an approval' : 'waits for an answer';
  }
}

/** What could start, and is kept by nothing but that nothing may. */
function heldReason(state: ItemState, held: string | undefined): string | undefined {
  return state === 'ready' ? held : undefined;
}

function waitReason(
  state: ItemState,
  blockedBy: readonly string[],
  locks: readonly { readonly key: string; readonly held_by?: string }[],
  running: number,
  plan: FrozenPlan,
  row: SqlRow,
  others: readonly string[],
): string | undefined {
  if (state === 'running') return undefined;
  if (blockedBy.length > 0)
    return `waits for ${blockedBy.slice(0, 3).join(', ')}${blockedBy.length > 3 ? ` and ${blockedBy.length - 3} more` : ''}`;
  const next = row['next_attempt_at'];
  if (typeof next === 'number' && next > 0) return 'waits to be tried again';
  const held = locks.find((lock) => lock.held_by !== undefined);
  if (held !== undefined) return `waits for lock ${held.key}, held by ${held.held_by}`;
  if (plan.concurrency !== null && running >= plan.concurrency)
    return `waits for a slot: the plan runs ${plan.concurrency} at once`;
  const users = others.length === 0 ? '' : `, used by ${others.slice(0, 3).join(', ')}`;
  return locks.length > 0
    ? `waits for its turn at its locks or for a slot${users}`
    : `waits for a slot in queue ${plan.queue}${users}`;
}

function text(row: SqlRow, column: string): string | undefined {
  const value = row[column];
  return typeof value === 'string' ? value : undefined;
}

function optionalMillis<K extends string>(row: SqlRow, column: K): { [key in K]?: number } {
  const value = row[column];
  return (typeof value === 'number' && value > 0 ? { [column]: value } : {}) as { [key in K]?: number };
}
