import type { Invocation } from '../invocation.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { costText } from '../output/spent-text.ts';
import { renderRow } from '../output/row.ts';
import { elapsed } from '../output/time.ts';
import { logTail } from './log-text.ts';
import { countsLine, type FollowedItem, type RunModel } from './run-model.ts';

const FAILURES_WITH_LOG = 10;
const LOG_LINES = 20;

/**
 * The block that ends a followed run: every failure in full with the end of its log, then one line
 * for the run. Logs that cannot be read are left out; the reason is still there.
 */
export async function summaryLines(invocation: Invocation, model: RunModel): Promise<string[]> {
  const { run } = model;
  const style = { ...invocation.settings.style, columns: undefined };
  const lines: string[] = [];
  const failures = [...model.items.values()].filter(isFailure);
  for (const [index, item] of failures.entries()) {
    lines.push(renderRow({ state: item.state, id: item.id, title: item.reason ?? '' }, style));
    if (index >= FAILURES_WITH_LOG || item.attempt === 0) continue;
    const tail = await logTail(invocation, { run: run.id, item: item.id }, LOG_LINES).catch(() => []);
    for (const line of tail) lines.push(`         ${line}`);
  }
  const times = (run.finished_at ?? Date.now()) - run.submitted_at;
  const cost = run.cost_usd ?? model.costUsd;
  const costs = costText(cost === undefined ? run : { ...run, cost_usd: cost });
  const aside = [elapsed(times), costs, run.sealed ? 'sealed' : ''].filter((part) => part !== '').join('  ');
  const why = run.reason === undefined ? '' : `: ${foreignLine(run.reason)}`;
  lines.push(
    renderRow(
      { state: run.state, id: run.id, title: `${run.title}  ${countsLine(model)}${why}`, aside },
      style,
    ),
  );
  return lines;
}

/** Whether an item is a reason that the run did not go well. */
export function isFailure(item: FollowedItem): boolean {
  return item.state === 'failed' || item.state === 'denied';
}
