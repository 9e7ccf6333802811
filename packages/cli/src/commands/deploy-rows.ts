import { type DeployChange, errorCatalogue } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { count } from '../output/time.ts';
import { renderRow } from '../output/row.ts';

type Action = DeployChange['action'];

const DONE: Readonly<Record<Action, string>> = {
  create: 'created',
  update: 'updated',
  unchanged: 'unchanged',
  remove: 'removed',
  keep: 'no longer there',
};
const HASH_DIGITS = 12;

/** One line per name: what became of it, or in a dry run would. */
export function changeLines(invocation: Invocation, changes: readonly DeployChange[]): string[] {
  const width = Math.max(0, ...changes.map((change) => idOf(change).length));
  return changes.flatMap((change) => {
    const details = [hashes(change), (change.changed ?? []).map(foreignLine).join(', ')];
    const joined = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('  ');
    const line = invocation.isDryRun
      ? joined([`${rehearsal(change).padEnd(14)}${idOf(change).padEnd(width)}`, ...details]).trimEnd()
      : renderRow(
          // Nothing of it is cut where a terminal is narrow.
          { state: stateOf(change), id: idOf(change), aside: joined([outcomeOf(change), ...details]) },
          invocation.settings.style,
          width,
        );
    const { error } = change;
    if (error === undefined) return [line];
    return [
      line,
      `  why   ${foreignLine(error.message)}`,
      ...(error.next === undefined ? [] : [`  next  ${foreignLine(error.next)}`]),
    ];
  });
}

/** How many of each, in one line. */
export function changeSummary(invocation: Invocation, changes: readonly DeployChange[]): string {
  const numbers = (Object.keys(DONE) as Action[]).flatMap((action) => {
    const found = changes.filter(
      (change) => change.action === action && change.outcome !== 'failed' && change.outcome !== 'not_reached',
    );
    if (found.length === 0) return [];
    return [
      `${found.length} ${invocation.isDryRun && action !== 'unchanged' && action !== 'keep' ? `to ${action}` : DONE[action]}`,
    ];
  });
  const failed = changes.some(({ outcome }) => outcome === 'failed') ? ['1 failed'] : [];
  const left = changes.filter(({ outcome }) => outcome === 'not_reached').length;
  const all = [...numbers, ...failed, ...(left === 0 ? [] : [`${left} not reached`])];
  return all.length === 0 ? 'nothing to deploy' : `${count(changes.length, 'name')}: ${all.join(', ')}`;
}

/** That of the failure, or 0. */
export function changeExit(changes: readonly DeployChange[]): number {
  const failed = changes.find(({ error }) => error !== undefined);
  return failed?.error === undefined ? 0 : errorCatalogue[failed.error.code].exit;
}

function idOf({ kind, name }: DeployChange): string {
  return `${kind} ${name}`;
}

function stateOf({ outcome, action }: DeployChange): string {
  if (outcome === 'failed') return 'failed';
  if (outcome === 'not_reached') return 'skipped';
  return action === 'keep' ? 'note' : 'ok';
}

function outcomeOf({ outcome, action }: DeployChange): string {
  if (outcome === 'failed') return `not ${DONE[action]}`;
  return outcome === 'not_reached' ? 'not reached' : DONE[action];
}

function rehearsal({ action }: DeployChange): string {
  if (action === 'unchanged') return 'unchanged';
  return action === 'keep' ? 'would keep' : `would ${action}`;
}

function hashes({ action, before, after }: DeployChange): string {
  const short = (hash: string | undefined): string =>
    hash?.slice('sha256:'.length, 'sha256:'.length + HASH_DIGITS) ?? '';
  if (action === 'update' && before !== undefined) return `${short(before)} -> ${short(after)}`;
  return short(after ?? before);
}
