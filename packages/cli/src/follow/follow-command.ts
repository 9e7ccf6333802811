import { getRun, listRequests, PalisadeError, RUN_TERMINAL } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { afterFailure } from '../output/after-failure.ts';
import { foreignJson, foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { requestLines, verbOf } from '../output/request-lines.ts';
import { count } from '../output/time.ts';
import { isApplied } from '../products/applied-record.ts';
import { type FollowEnd, follow } from './follow.ts';
import { logTail } from './log-text.ts';
import { reportView } from './report-view.ts';
import type { RunModel } from './run-model.ts';
import { isFailure, summaryLines } from './summary.ts';
import { type FollowView, silentView } from './view.ts';

/** Requests shown in full where a run waits for several. */
const SHOWN_REQUESTS = 3;

/** Follows a run in the manner of this invocation, prints its end, and gives the exit code (cli.md §5). */
export async function followAndReport(
  invocation: Invocation,
  run: string,
  options: { readonly failFast: boolean; readonly timeout: number | undefined; readonly wait: boolean },
): Promise<number> {
  const { settings, out } = invocation;
  const detach = new AbortController();
  const view = await chooseView(invocation, run, detach);
  const { end, model } = await follow(
    invocation,
    run,
    view,
    {
      failFast: options.failFast,
      timeoutMs: options.timeout,
      say: (line) =>
        settings.manner === 'live' && settings.format === 'text'
          ? view.note(line)
          : invocation.err.line(line),
      // On a terminal the person is there.
      staysForPeople: options.wait || settings.manner === 'live',
      ...(settings.format === 'ndjson'
        ? {
            onEvents: (events: readonly object[]) => {
              for (const event of events) out.line(foreignJson(event));
            },
          }
        : {}),
    },
    // An interruption may have come before there was anything to follow.
    AbortSignal.any([detach.signal, invocation.interrupted]),
  );
  if (end === 'ended') await refuseVanished(invocation, model);
  if (end === 'ended' || end === 'failed-fast' || end === 'waiting') await printEnd(invocation, model);
  return await finish(invocation, end, model);
}

/** An open database outlives its file: what was said of a run that is nowhere any more is worth nothing. */
async function refuseVanished(invocation: Invocation, { run }: RunModel): Promise<void> {
  const plane = await invocation.controlPlane();
  if (plane.exists()) return;
  throw new PalisadeError(
    'integrity_mismatch',
    `the control plane in ${plane.directory} was removed meanwhile`,
    {
      why: `nothing of ${run.id} is kept: neither its products nor its evidence`,
      next: 'pal init',
    },
  );
}

async function chooseView(invocation: Invocation, run: string, detach: AbortController): Promise<FollowView> {
  const { settings, out, err } = invocation;
  const header = (model: RunModel): string =>
    `${model.run.id}  ${foreignLine(model.run.title)}  ${count(model.items.size, 'item')}`;
  if (settings.manner === 'quiet') return silentView;
  if (settings.format !== 'text') return reportView(err, settings.errorStyle, settings.times);
  const inner =
    settings.manner === 'live'
      ? (await import('../live/live-view.ts')).liveView({
          out,
          stdin: invocation.stdin,
          style: settings.style,
          readTail: (item, lines) => logTail(invocation, { run, item }, lines),
          detach: () => detach.abort(),
          answer: async (item) =>
            (await import('../commands/answer.ts')).answerHere(invocation, `${run}/${item}`),
        })
      : reportView(out, settings.style, settings.times);
  return {
    ...inner,
    start: (model) => {
      out.line(header(model));
      inner.start(model);
    },
  };
}

async function printEnd(invocation: Invocation, model: RunModel): Promise<void> {
  const { settings } = invocation;
  if (settings.format === 'ndjson') return;
  const json = settings.format === 'json' ? await invocation.call(getRun, { run: model.run.id }) : undefined;
  const lines = settings.format === 'text' ? await summaryLines(invocation, model) : [];
  emit(invocation, { json, records: [model.run], ids: [model.run.id], text: () => lines });
}

async function finish(invocation: Invocation, end: FollowEnd, model: RunModel): Promise<number> {
  const id = model.run.id;
  switch (end) {
    case 'detached':
      invocation.err.line(`detached: ${id} goes on`);
      invocation.hint(`pal watch ${id}`, `pal cancel ${id}`);
      return 130;
    case 'timed-out':
      invocation.err.line(`still going: ${id}`);
      invocation.hint(`pal watch ${id}`, `pal cancel ${id}`);
      return 8;
    case 'reader-gone':
      return RUN_TERMINAL.has(model.run.state) ? exitOf(model) : 8;
    case 'waiting': {
      const { data } = await invocation.call(listRequests, { run: id });
      const open = data.filter(({ state }) => state === 'open');
      invocation.err.line(`${id} waits for ${open.length === 1 ? 'you' : `${open.length} answers`}`);
      for (const request of open.slice(0, SHOWN_REQUESTS))
        for (const line of requestLines(request, invocation.settings.times)) invocation.err.line(line);
      invocation.hint(
        ...open.slice(0, 1).map((each) => `pal ${verbOf(each)} ${each.run_id}/${each.item}`),
        `pal watch ${id}`,
      );
      return 6;
    }
    case 'failed-fast': {
      invocation.err.line(`stopped watching at the first failure: ${id} goes on`);
      invocation.hint(`pal watch ${id}`, `pal cancel ${id}`);
      return 1;
    }
    default: {
      const failed = [...model.items.values()].find(isFailure);
      if (failed !== undefined)
        invocation.hint(`pal explain ${id}/${failed.id}`, ...afterFailure(id, failed).slice(-1));
      else if (model.hasPatch && !isApplied((await invocation.controlPlane()).directory, id))
        invocation.hint(`pal diff ${id}`, `pal apply ${id}`);
      return exitOf(model);
    }
  }
}

function exitOf(model: RunModel): number {
  return model.run.state === 'completed' ? 0 : 1;
}
