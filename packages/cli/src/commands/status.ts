import { listRuns, RUN_STATES, RUN_TERMINAL, type RunState, type RunView } from '@palisade/contracts';
import { rememberRuns } from '../completion/cache.ts';
import type { Invocation } from '../invocation.ts';
import { emit } from '../output/format.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { type Row, renderRows } from '../output/row.ts';
import { count, elapsed } from '../output/time.ts';
import { nearest } from '../tree/nearest.ts';
import type { statusCommand } from '../tree/run-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

const DEFAULT_LIMIT = 20;

/** `pal status` and bare `pal`: what runs, what is stuck, what just ended. */
export const execute: Handler<typeof statusCommand> = async (invocation, _args, flags) => {
  const states = flags.state.map(asRunState);
  const answer = await invocation.call(listRuns, {
    limit: flags.limit ?? DEFAULT_LIMIT,
    ...(states.length === 0 ? {} : { state: states }),
    ...(flags.cursor === undefined ? {} : { cursor: flags.cursor }),
  });
  const plane = await invocation.controlPlane();
  rememberRuns(plane.directory, answer.data);
  const lines = invocation.settings.isVerbose
    ? [`control plane ${plane.directory}  database ${plane.database}  in process`]
    : [];
  emit(invocation, {
    json: answer,
    records: answer.data,
    ids: answer.data.map((run) => run.id),
    text: () => [
      ...lines,
      ...(answer.data.length === 0 ? [emptyLine(states)] : statusLines(invocation, answer.data)),
    ],
  });
  if (answer.next_cursor !== undefined) invocation.hint(`pal status --cursor ${answer.next_cursor}`);
  else if (answer.data.length === 0 && states.length === 0) invocation.hint('pal run PLAN', 'pal demo');
  return 0;
};

function asRunState(word: string): RunState {
  const state = RUN_STATES.find((entry) => entry === word);
  if (state !== undefined) return state;
  const meant = nearest(word, RUN_STATES);
  throw new UsageError(`unknown state "${word}"`, {
    why: meant === undefined ? `states are ${RUN_STATES.join(', ')}` : `the nearest is "${meant}"`,
  });
}

function emptyLine(states: readonly RunState[]): string {
  return states.length === 0 ? 'no runs yet' : `no runs match state:${states.join(',')}`;
}

function statusLines(invocation: Invocation, runs: readonly RunView[]): string[] {
  const now = Date.now();
  const active = runs.filter((run) => !RUN_TERMINAL.has(run.state));
  const stuck = active.filter((run) => run.trouble !== undefined || (!run.owned && run.state !== 'queued'));
  const running = active.filter((run) => !stuck.includes(run));
  const ended = runs.filter((run) => RUN_TERMINAL.has(run.state));
  const { style } = invocation.settings;
  const section = (heading: string, members: readonly RunView[], note = ''): string[] =>
    members.length === 0
      ? []
      : [
          style.paint('strong', `${heading} ${members.length}`) + note,
          ...renderRows(
            members.map((run) => runRow(run, now)),
            style,
          ).flatMap((line, i) => {
            const trouble = members[i]?.trouble;
            return [
              `  ${line}`.trimEnd(),
              ...(trouble === undefined ? [] : [`    ${troubleLine(trouble, now)}`]),
            ];
          }),
        ];
  return [
    ...section('running', running),
    ...section(
      'stuck',
      stuck,
      stuck.some((run) => !run.owned) ? '  without an engine; pal watch starts one' : '',
    ),
    ...section('ended', ended),
  ];
}

/** What keeps a run or an item from going on, as one line (FF-057). */
export function troubleLine(trouble: NonNullable<RunView['trouble']>, now: number): string {
  const where = trouble.item === undefined ? '' : `${trouble.item}: `;
  return `${where}no progress for ${elapsed(now - trouble.since)}: ${foreignLine(trouble.message)} (${foreignLine(trouble.code)})`;
}

/** A run as one row. */
export function runRow(run: RunView, now: number): Row {
  const finished = run.counts.done ?? 0;
  const total = Object.values(run.counts).reduce((sum, amount) => sum + amount, 0);
  const failed = run.counts.failed ?? 0;
  const parts = [
    `${finished}/${total}`,
    failed === 0 ? '' : count(failed, 'failed', 'failed'),
    elapsed((run.finished_at ?? now) - (run.started_at ?? run.submitted_at)),
    run.cost_usd === undefined ? '' : `$${run.cost_usd.toFixed(2)}`,
    run.cancel_requested && !RUN_TERMINAL.has(run.state) ? 'canceling' : '',
  ];
  return {
    state: run.state,
    id: run.id,
    title: run.title,
    aside: parts.filter((part) => part !== '').join('  '),
  };
}
