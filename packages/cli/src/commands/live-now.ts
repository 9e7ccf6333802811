import { hostname } from 'node:os';
import type { LiveTranscripts } from '@palisade/contracts';
import { agentProcesses, liveTranscripts, type MemoryDatabase } from '@palisade/memory';
import type { Invocation } from '../invocation.ts';
import { withTranscripts } from './transcript.ts';

/** The agents that run now, and the sessions they are in; with a terminal unless `isAny`. */
export function liveNow(invocation: Invocation, isAny: boolean): Promise<LiveTranscripts> {
  const look = (database: MemoryDatabase) =>
    liveTranscripts(database, {
      processes: agentProcesses(isAny),
      env: invocation.env,
      now: Date.now(),
      host: hostname(),
      signal: invocation.interrupted,
    });
  return withTranscripts(invocation, look, { create: true });
}
