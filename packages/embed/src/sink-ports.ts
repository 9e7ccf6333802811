import { isPalisadeError } from '@palisade/contracts';
import type { SinkPort } from '@palisade/server';
import type { Calls } from './calls.ts';
import type { ResultSink } from './result-sink.ts';
import { outcomeOf, type RunResult } from './run.ts';

/** Sinks at the seam of the outbox: each is given a result of its own, as it is recorded. */
export function sinkPorts(calls: Calls, sinks: readonly ResultSink[]): SinkPort<RunResult>[] {
  return sinks.map((sink) => ({
    name: sink.name,
    load: (runId) => keptOutcome(calls, runId),
    collect: async (result) => sink.collect(result),
  }));
}

/** Null for a run that is not kept any more; its id can then be the start of other runs' ids, which are not meant. */
async function keptOutcome(calls: Calls, runId: string): Promise<RunResult | null> {
  try {
    const result = await outcomeOf(calls, runId);
    return result.id === runId ? result : null;
  } catch (error) {
    if (isPalisadeError(error, 'not_found') || isPalisadeError(error, 'ambiguous_id')) return null;
    throw error;
  }
}
