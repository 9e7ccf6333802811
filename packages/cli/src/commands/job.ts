import { getJob, type JobView, listJobs } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { renderRows } from '../output/row.ts';
import { moment } from '../output/time.ts';
import { pageOf } from '../page.ts';
import type { jobListCommand, jobShowCommand } from '../tree/job-commands.ts';
import type { Handler } from './handler.ts';

/** `pal job list`. */
export const list: Handler<typeof jobListCommand> = async (invocation, _args, flags) => {
  const answer = await invocation.call(listJobs, {
    ...pageOf(flags),
    ...(flags.state === undefined ? {} : { state: [flags.state] }),
  });
  const { data, next_cursor: cursor } = answer;
  emit(invocation, {
    json: answer,
    records: data,
    ids: data.map(({ id }) => id),
    text: () => (data.length === 0 ? ['no jobs'] : jobRows(invocation, data)),
  });
  if (cursor !== undefined) invocation.hint(`pal job list --cursor ${cursor}`);
  return 0;
};

/** `pal job show JOB`. */
export const showOne: Handler<typeof jobShowCommand> = async (invocation, args) => {
  const job = await invocation.call(getJob, args);
  emit(invocation, {
    json: job,
    records: [job],
    ids: [job.id],
    text: () => [...jobRows(invocation, [job]), ...detailsOf(invocation, job)],
  });
  return 0;
};

/** A job a line. One whose reporter was not heard lately says so: that is neither an end nor a failure. */
function jobRows({ settings }: Invocation, jobs: readonly JobView[]): string[] {
  return renderRows(
    jobs.map((job) => ({
      state: job.state === 'succeeded' ? 'ok' : job.state,
      id: job.id,
      title: job.label,
      aside: [
        ...(job.freshness === 'stale' ? ['stale'] : []),
        ...(job.last_observation?.exit_code === undefined ? [] : [`exit ${job.last_observation.exit_code}`]),
        `on ${job.workstation_id}`,
      ].join('  '),
    })),
    settings.style,
  );
}

function detailsOf({ settings: { times } }: Invocation, job: JobView): string[] {
  const { last_observation: seen, source_revision: revision, source_tree: tree, reporter } = job;
  return [
    `session     ${job.session}`,
    ...(revision === undefined ? [] : [`revision    ${revision}`]),
    ...(tree === undefined ? [] : [`tree        ${tree}`]),
    `registered  ${moment(job.registered_at, times)}`,
    seen === undefined
      ? 'seen        not yet'
      : `seen        ${moment(seen.observed_at, times)}${seen.pid === undefined ? '' : `, process ${seen.pid}`}`,
    ...(seen?.inputs_unchanged === undefined
      ? []
      : [`inputs      ${seen.inputs_unchanged ? 'unchanged' : 'changed meanwhile'}`]),
    ...(seen?.summary === undefined ? [] : [`| ${foreignLine(seen.summary)}`]),
    ...(reporter.lease_until === undefined
      ? []
      : [`lease       until ${moment(reporter.lease_until, times)}`]),
  ];
}
