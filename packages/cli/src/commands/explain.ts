import { getRun, type ItemView, type RunView, verdictWord } from '@palisade/contracts';
import { briefName } from '@palisade/process';
import { itemNamed, parseItemRef } from '../item-ref.ts';
import { afterFailure } from '../output/after-failure.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { requestLines, verbOf } from '../output/request-lines.ts';
import { renderRow } from '../output/row.ts';
import { moment } from '../output/time.ts';
import type { explainCommand } from '../tree/run-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';
import { troubleLine } from './status.ts';

/** `pal explain RUN/ITEM`: why an item is in its state, and what would help. */
export const execute: Handler<typeof explainCommand> = async (invocation, args) => {
  const { run: ref, item: name } = parseItemRef(args.target);
  const { run, items } = await invocation.call(getRun, { run: ref });
  const only = items.length === 1 ? items[0] : undefined;
  const item = name === undefined ? only : itemNamed(items, run.id, name, 'explain');
  if (item === undefined)
    throw new UsageError(`name one of the ${items.length} items: ${run.id}/ITEM`, {
      next: `pal show ${run.id}`,
    });
  const { settings } = invocation;
  const why = reasons(run, item, (at) => moment(at, settings.times));
  const helps = remedies(run, item, items);
  emit(invocation, {
    json: { run_id: run.id, item: item.id, state: item.state, why, helps },
    records: [
      { run_id: run.id, item: item.id, state: item.state, why: why.join('; '), helps: helps.join('; ') },
    ],
    ids: [`${run.id}/${item.id}`],
    text: () => [
      renderRow(
        { state: item.state, id: item.id, title: item.title === item.id ? '' : item.title },
        settings.style,
      ),
      ...why.map((line) => `  why   ${foreignLine(line)}`),
      ...(item.request === undefined ? [] : requestLines(item.request, settings.times)),
      ...helps.map((line) => `  next  ${line}`),
    ],
  });
  return 0;
};

function reasons(run: RunView, item: ItemView, at: (ms: number) => string): string[] {
  const why: string[] = [];
  const trouble = item.trouble ?? (run.trouble?.item === undefined ? run.trouble : undefined);
  if (trouble !== undefined) why.push(troubleLine(trouble, Date.now()));
  if (item.blocked_by.length > 0) why.push(`waits for ${item.blocked_by.join(', ')}`);
  for (const lock of item.locks) {
    if (lock.held_by !== undefined) why.push(`lock ${lock.key} is held by ${lock.held_by}`);
  }
  if (item.next_attempt_at !== undefined && item.next_attempt_at > Date.now())
    why.push(`attempt ${item.attempt + 1} of ${item.max_attempts} starts at ${at(item.next_attempt_at)}`);
  // A wait is said once: by what is known exactly, else by the reason the control plane gives.
  const isSaid = why.length > 0 && item.reason?.startsWith('waits ') === true;
  if (item.reason !== undefined && !isSaid) why.unshift(item.reason);
  if (item.reason?.includes(' left no output ') === true)
    why.push(
      'an output is a file below outputs/ in the workspace of its item ($PALISADE_OUTPUTS), named relative to it',
    );
  if (item.state === 'failed' && item.attempt >= item.max_attempts && item.attempt > 1)
    why.push(`all ${item.max_attempts} attempts are used`);
  if (item.state === 'failed' && run.workspace.kind === 'empty')
    why.push('it began in an empty workspace: the run was given no repository');
  const verdict = verdictWord(item.product);
  if (verdict === 'failed') why.push('its self-check failed');
  if (verdict === 'not counted') why.push('its self-check ended well and is not counted');
  for (const warning of item.product?.warnings ?? []) why.push(`warning: ${warning}`);
  const isWaiting = item.state === 'pending' || item.state === 'ready';
  if (isWaiting && !run.owned && run.paused === undefined) why.push('no engine owns the run');
  if (run.cancel_requested && isWaiting) why.push('the run is being canceled');
  if (why.length === 0) {
    if (item.state === 'done') why.push('it ended well');
    else if (item.state === 'running') why.push(atWork(item));
    else if (item.state === 'ready') why.push('nothing is in its way; it waits for a free slot of its queue');
    else why.push('no reason was recorded');
  }
  return [...new Set(why)];
}

/** Who is at work on an attempt, for whoever wants to look at the process. */
function atWork(item: ItemView): string {
  const worker = item.worker === undefined ? '' : `, by process ${briefName(item.worker)}`;
  return `attempt ${item.attempt} of ${item.max_attempts} is at work${worker}`;
}

/** The item whose end is why another one was skipped: what helps it helps both. */
function causeOf(skipped: ItemView, items: readonly ItemView[]): ItemView {
  const byId = new Map(items.map((item) => [item.id, item]));
  let cause = skipped;
  while (cause.state === 'skipped') {
    const before = cause.depends_on
      .map((id) => byId.get(id))
      .find((item) => item !== undefined && ['failed', 'denied', 'canceled', 'skipped'].includes(item.state));
    if (before === undefined) break;
    cause = before;
  }
  return cause;
}

function remedies(run: RunView, item: ItemView, items: readonly ItemView[]): string[] {
  const target = `${run.id}/${item.id}`;
  switch (item.state) {
    case 'failed':
    case 'denied':
      return afterFailure(run.id, { ...item, warnings: item.product?.warnings });
    case 'skipped': {
      const cause = causeOf(item, items);
      return [cause === item ? `pal show ${run.id}` : `pal explain ${run.id}/${cause.id}`];
    }
    case 'canceled':
      return [`pal rerun ${run.id} --only-failed`];
    case 'needs_input':
      return item.request?.state === 'open'
        ? [`pal ${verbOf(item.request)} ${target}`]
        : [`pal watch ${run.id}`];
    case 'pending':
    case 'ready': {
      const holder = item.locks.find((lock) => lock.held_by !== undefined)?.held_by;
      if (run.paused !== undefined)
        return [run.paused.queue === true ? `pal resume --queue ${run.queue}` : `pal resume ${run.id}`];
      if (!run.owned) return [`pal watch ${run.id}`];
      if (holder !== undefined) return [`pal explain ${foreignLine(holder)}`];
      const blocker = item.blocked_by[0];
      return blocker === undefined ? [] : [`pal explain ${run.id}/${blocker}`];
    }
    case 'running':
      return [`pal logs ${target} -f`];
    default:
      return item.product?.patch === undefined
        ? [`pal logs ${target}`]
        : [`pal diff ${run.id} --item ${item.id}`];
  }
}
