import type { CallContext, listRequests } from '@palisade/contracts';
import { findRootRun, resolveRun } from '@palisade/runs';
import type * as z from 'zod';
import type { PlanDeps } from '../plans/plan-deps.ts';
import { listRequestRows } from './request-store.ts';
import { viewOf } from './view-of.ts';

type Input = z.output<(typeof listRequests)['input']>;
type Output = z.output<(typeof listRequests)['output']>;

const LIMIT = 100;

/** What people are asked, oldest first. */
export async function list(deps: PlanDeps, input: Input, { project }: CallContext): Promise<Output> {
  const limit = input.limit ?? LIMIT;
  return deps.database.read(async (tx) => {
    const run = input.run === undefined ? undefined : await resolveRun(tx, project, input.run);
    const rows = await listRequestRows(tx, {
      project,
      ...(run === undefined ? {} : { runId: run.id }),
      all: input.all === true,
      limit: limit + 1,
    });
    const titles = new Map<string, string | null>();
    const data: Output['data'] = [];
    for (const request of rows.slice(0, limit)) {
      let title = titles.get(request.runId);
      if (title === undefined) {
        title = (await findRootRun(tx, request.runId))?.title ?? null;
        titles.set(request.runId, title);
      }
      // A run that is not kept any more is out of everybody's sight.
      if (title !== null) data.push(viewOf(request, title, Date.now()));
    }
    return { data, has_more: rows.length > limit };
  });
}
