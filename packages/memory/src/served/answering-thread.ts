import { parentPort } from 'node:worker_threads';
import { type ErrorCode, type ErrorDetails, PalisadeError, toPalisadeError } from '@palisade/contracts';
import { repositoryTools } from '../tools.ts';
import { freshAnswer, indexesMade } from './fresh-answer.ts';

/** What a thread is asked; with an id alone, to stop at what was asked by it, and with none to end when its indexes are made. */
export interface Question {
  readonly id?: number;
  readonly ask?: {
    readonly tool: string;
    readonly directory: string;
    readonly input: unknown;
    /** Unix ms. */
    readonly deadline: number;
  };
}

export interface Answer {
  readonly id: number;
  readonly answer?: unknown;
  readonly refusal?: { readonly code: ErrorCode; readonly message: string; readonly details: ErrorDetails };
}

/* A thread that answers what is asked about repositories: reading them keeps a thread busy, and a server has others to serve. */
const asked = new Map<number, AbortController>();
parentPort?.on('message', ({ id, ask }: Question) => {
  if (id === undefined) void indexesMade().then(() => parentPort?.close());
  else if (ask === undefined) asked.get(id)?.abort();
  else void answered(id, ask);
});

async function answered(id: number, { tool: name, directory, input, deadline }: Required<Question>['ask']) {
  const stop = new AbortController();
  asked.set(id, stop);
  try {
    const tool = repositoryTools.find((each) => each.name === name);
    if (tool === undefined) throw new PalisadeError('internal', `there is no question ${name}`);
    const budget = { deadline, signal: stop.signal };
    tell({ id, answer: await freshAnswer(tool, { directory, budget, now: Date.now() }, input) });
  } catch (error) {
    const { code, message, why, next, retryAfterMs } = toPalisadeError(error);
    const details = Object.entries({ why, next, retryAfterMs }).filter(([, value]) => value !== undefined);
    tell({ id, refusal: { code, message, details: Object.fromEntries(details) } });
  } finally {
    asked.delete(id);
  }
}

function tell(answer: Answer): void {
  // A port of a thread has no origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage(answer);
}
