import {
  listRequests,
  listRuns,
  listSchedules,
  type RequestView,
  RUN_STATES,
  RUN_TERMINAL,
  type RunState,
  type RunView,
} from '@palisade/contracts';
import { rememberRuns } from '../completion/cache.ts';
import type { Invocation } from '../invocation.ts';
import { foreignLine, foreignName } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { requestRow, verbOf } from '../output/request-lines.ts';
import { costText } from '../output/spent-text.ts';
import { type Row, renderRows } from '../output/row.ts';
import { count, elapsed, moment } from '../output/time.ts';
import { nearest } from '@palisade/contracts/nearest';
import type { statusCommand } from '../tree/run-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';
import { scheduleLines, troubleOf } from './schedule-rows.ts';

const DEFAULT_LIMIT = 20;
const COUNTED = 1_000;
const SHOWN_REQUESTS = 10;

/** `pal status` and bare `pal`: what runs, what is stuck, what just ended. */
export const execute: Handler<typeof statusCommand> = async (invocation, _args, flags) => {
  const states = flags.state.map(asRunState);
  const answer = await invocation.call(listRuns, {
    limit: flags.limit ?? DEFAULT_LIMIT,
    ...(states.length === 0 ? {} : { state: states }),
    ...(flags.cursor === undefined ? {} : { cursor: flags.cursor }),
  });
  const { data: requests } =
    invocation.settings.format === 'text' && states.length === 0
      ? await invocation.call(listRequests, {})
      : { data: [] };
  const plane = await invocation.controlPlane();
  rememberRuns(plane.directory, answer.data);
  const empty = answer.data.length === 0 ? await emptyLine(invocation, states) : '';
  const schedules =
    invocation.settings.format === 'text' && states.length === 0 && flags.cursor === undefined
      ? await scheduleSummary(invocation)
      : [];
  const lines = invocation.settings.isVerbose
    ? [`control plane ${foreignName(plane.directory)}  database ${foreignName(plane.database)}  in process`]
    : [];
  emit(invocation, {
    json: answer,
    records: answer.data,
    ids: answer.data.map((run) => run.id),
    text: () => [
      ...lines,
      ...waitingLines(invocation, requests),
      ...(answer.data.length === 0 ? [empty] : statusLines(invocation, answer.data)),
      ...schedules,
    ],
  });
  if (answer.next_cursor !== undefined) invocation.hint(`pal status --cursor ${answer.next_cursor}`);
  else if (requests.length > 0) invocation.hint('pal inbox', ...firstAnswer(requests));
  else if (answer.data.length === 0 && states.length === 0) invocation.hint('pal run PLAN', 'pal demo');
  else if (states.length === 0) invocation.hint(...mostUrgent(answer.data));
  return 0;
};

/** What waits for a person comes first: nothing else is as much in their hands. */
function waitingLines(invocation: Invocation, requests: readonly RequestView[]): string[] {
  if (requests.length === 0) return [];
  const { style } = invocation.settings;
  const now = Date.now();
  const rows = renderRows(
    requests.slice(0, SHOWN_REQUESTS).map((request) => requestRow(request, now)),
    style,
  );
  const more = requests.length - rows.length;
  return [
    style.paint('strong', `waits for you ${requests.length}`),
    ...rows.map((line) => `  ${line}`.trimEnd()),
    ...(more === 0 ? [] : [`  and ${more} more`]),
  ];
}

function firstAnswer(requests: readonly RequestView[]): string[] {
  const open = requests.find(({ state }) => state === 'open');
  return open === undefined ? [] : [`pal ${verbOf(open)} ${open.run_id}/${open.item}`];
}

/** How many schedules wait, and what is wrong with some: nothing where there are none. */
async function scheduleSummary(invocation: Invocation): Promise<readonly string[]> {
  const { data } = await invocation.call(listSchedules, {});
  const waiting = data.filter(({ state }) => state === 'enabled');
  const troubled = data.filter((schedule) => troubleOf(schedule) !== null);
  if (waiting.length + troubled.length === 0) return [];
  const { style, times } = invocation.settings;
  const next = Math.min(...waiting.map(({ next_slot: at }) => at ?? Number.POSITIVE_INFINITY));
  const isServed = waiting.length === 0 || (await (await invocation.controlPlane()).engineLives());
  return [
    `${style.paint('strong', `schedules ${waiting.length}`)}${Number.isFinite(next) ? `  next ${moment(next, times)}` : ''}`,
    ...(isServed ? [] : [`  without an engine; pal schedule resume ${waiting[0]?.name} starts one`]),
    ...scheduleLines(invocation, troubled).map((line) => `  ${line}`),
  ];
}

/** What helps most: a run that stands still, else the newest one if it failed. */
function mostUrgent(runs: readonly RunView[]): readonly string[] {
  const stuck = runs.find(isStuck);
  if (stuck !== undefined) return [`pal watch ${stuck.id}`];
  const [newest] = runs;
  return newest?.state === 'failed' ? [`pal show ${newest.id} --failed`] : [];
}

/** Under way and without progress: something keeps failing, or no live engine owns it. */
function isStuck(run: RunView): boolean {
  if (RUN_TERMINAL.has(run.state) || run.state === 'waiting') return false;
  return run.trouble !== undefined || (!run.owned && run.state !== 'queued');
}

function asRunState(word: string): RunState {
  const state = RUN_STATES.find((entry) => entry === word);
  if (state !== undefined) return state;
  const meant = nearest(word, RUN_STATES);
  throw new UsageError(`unknown state "${word}"`, {
    why: meant === undefined ? `states are ${RUN_STATES.join(', ')}` : `the nearest is "${meant}"`,
  });
}

/** Nothing to show is no error; how many runs there are says that it was the filter. */
async function emptyLine(invocation: Invocation, states: readonly RunState[]): Promise<string> {
  if (states.length === 0) return 'no runs yet';
  const { data, has_more } = await invocation.call(listRuns, { limit: COUNTED });
  const total = has_more ? `more than ${COUNTED} runs` : count(data.length, 'run');
  return `no runs match state:${states.join(',')} (${total})`;
}

function statusLines(invocation: Invocation, runs: readonly RunView[]): string[] {
  const now = Date.now();
  const active = runs.filter((run) => !RUN_TERMINAL.has(run.state));
  const stuck = active.filter(isStuck);
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
    costText(run),
    run.cancel_requested && !RUN_TERMINAL.has(run.state) ? 'canceling' : '',
    run.paused === undefined ? '' : run.paused.queue === true ? 'queue paused' : 'paused',
  ];
  return {
    state: run.state,
    id: run.id,
    title: run.title,
    aside: parts.filter((part) => part !== '').join('  '),
  };
}
