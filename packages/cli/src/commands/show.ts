import { getRun, type ItemView, RUN_TERMINAL, type RunView, verdictWord } from '@palisade/contracts';
import type { Invocation, Output } from '../invocation.ts';
import { afterFailure, failureText } from '../output/after-failure.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { type Row, renderRow, renderRows } from '../output/row.ts';
import { limitsText } from '../output/spent-text.ts';
import { sandboxText } from '../output/sandbox-text.ts';
import { elapsed, moment } from '../output/time.ts';
import type { showCommand } from '../tree/run-commands.ts';
import type { Handler } from './handler.ts';
import { runRow, troubleLine } from './status.ts';

/** `pal show [RUN]`: a run and its items as they are now. */
export const execute: Handler<typeof showCommand> = async (invocation, args, flags) => {
  const answer = await invocation.call(getRun, { run: args.run ?? '-' });
  const items = flags.failed ? answer.items.filter(wentWrong) : answer.items;
  const shown = { ...answer, items };
  const { settings } = invocation;
  emit(invocation, {
    json: shown,
    records: settings.format === 'md' ? items.map(forPeople) : items,
    ids: items.map((item) => `${answer.run.id}/${item.id}`),
    text: () => showLines(invocation, shown),
  });
  const failed = answer.items.find(({ state }) => state === 'failed' || state === 'denied');
  // While it runs, what went wrong is only looked at.
  if (failed !== undefined && RUN_TERMINAL.has(answer.run.state)) {
    const known = { ...failed, warnings: failed.product?.warnings };
    invocation.hint(
      `pal explain ${answer.run.id}/${failed.id}`,
      ...afterFailure(answer.run.id, known).slice(-1),
    );
  }
  return 0;
};

/** What an item calls `run` is the id of its last attempt alone, which no command takes for a run. */
function forPeople({ run, ...item }: ItemView): object {
  return run === undefined ? item : { ...item, attempt_id: run };
}

function wentWrong(item: ItemView): boolean {
  return ['failed', 'denied', 'skipped', 'canceled'].includes(item.state);
}

function showLines(invocation: Invocation, { run, items }: Output<typeof getRun>): string[] {
  const { style, times } = invocation.settings;
  const now = Date.now();
  const base =
    run.workspace.kind === 'empty'
      ? 'an empty workspace'
      : `${foreignLine(run.workspace.repository ?? 'a repository')} at ${(run.workspace.commit ?? '').slice(0, 12)}`;
  const lines = [
    renderRow(runRow(run, now), style),
    `  submitted ${moment(run.submitted_at, times)} by ${foreignLine(run.actor)}, from ${base}`,
  ];
  const sandboxes = items.flatMap(({ sandbox, isolation }) =>
    sandbox === undefined || isolation === undefined ? [] : [sandboxText({ sandbox, isolation })],
  );
  if (sandboxes.length > 0) lines.push(`  ${[...new Set(sandboxes)].join(', ')}`);
  if (run.rerun_of !== undefined) lines.push(`  rerun of ${run.rerun_of}`);
  if (run.reason !== undefined) lines.push(`  ${foreignLine(run.reason)}`);
  const used = limitsText(run);
  if (used !== '') lines.push(`  ${used}`);
  if (run.priority !== undefined) lines.push(`  priority ${run.priority} in queue ${run.queue}`);
  for (const warning of run.warnings ?? []) lines.push(`  warning: ${warning}`);
  if (run.paused !== undefined) lines.push(`  ${pausedLine(run.paused, times)}`);
  if (run.trouble !== undefined) lines.push(`  ${troubleLine(run.trouble, now)}`);
  if (run.sealed) lines.push('  evidence sealed');
  return [
    ...lines,
    ...renderRows(
      items.map((item) => itemRow(item, now)),
      style,
    ),
  ];
}

function reasonText({ state, reason, product }: ItemView): string | undefined {
  return state === 'failed' && reason !== undefined ? failureText(reason, product?.warnings) : reason;
}

/** What a person is asked, while nobody has answered. */
function askText({ state, request }: ItemView): string | undefined {
  if (state !== 'needs_input' || request?.state !== 'open') return undefined;
  return `${request.kind === 'approval' ? 'asks for approval' : 'asks'}: ${foreignLine(request.text)}`;
}

/** Who wanted that nothing more starts, since when and why. */
export function pausedLine(
  { at, by, reason, queue }: NonNullable<RunView['paused']>,
  times: 'local' | 'utc',
): string {
  const what = queue === true ? 'its queue was paused' : 'paused';
  return `${what} ${moment(at, times)} by ${foreignLine(by)}${reason === undefined ? '' : `: ${foreignLine(reason)}`}`;
}

function itemRow(item: ItemView, now: number): Row {
  const usage = item.product?.usage?.cost_usd;
  const patch = item.product?.patch;
  const verdict = verdictWord(item.product);
  const aside = [
    item.attempt > 1 ? `attempt ${item.attempt}/${item.max_attempts}` : '',
    item.started_at === undefined ? '' : elapsed((item.finished_at ?? now) - item.started_at),
    usage === undefined ? '' : `$${usage.toFixed(2)}`,
  ];
  const title = [
    item.title === item.id ? '' : item.title,
    patch === undefined || patch.files === 0 ? '' : `patch ${patch.files} +${patch.added} -${patch.deleted}`,
    verdict === undefined ? '' : `self-check ${verdict}`,
    askText(item) ??
      reasonText(item) ??
      (item.blocked_by.length > 0 ? `needs ${item.blocked_by.join(', ')}` : ''),
  ];
  return {
    state: item.state,
    id: item.id,
    title: title.filter((part) => part !== '').join('  '),
    aside: aside.filter((part) => part !== '').join('  '),
  };
}
