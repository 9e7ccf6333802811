import { setTimeout as delay } from 'node:timers/promises';
import { getRun, lacksEngine, RUN_TERMINAL, type RunView, waitsForPeople } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { gaveUp, openFeed } from './event-feed.ts';
import { type Change, RunModel } from './run-model.ts';
import type { FollowView } from './view.ts';

/** How long a run may be without a live engine before one is started. */
const UNOWNED_MS = 1_000;
const ENGINE_RETRY_MS = 5_000;
/** How long an ended run may take to be sealed before following stops without the seal. */
const SEAL_MS = 10_000;
const SEAL_POLL_MS = 50;

export interface FollowOptions {
  readonly failFast: boolean;
  readonly timeoutMs: number | undefined;
  /** Goes on following while only a person's answer is waited for. */
  readonly staysForPeople: boolean;
  /** Told of a server that is away, and of its return. */
  readonly say: (line: string) => void;
  /** Sees every page of raw events, for `--format ndjson`. */
  readonly onEvents?: (events: readonly object[]) => void;
}

/** Why following stopped. */
export type FollowEnd = 'ended' | 'waiting' | 'failed-fast' | 'timed-out' | 'detached' | 'reader-gone';

/**
 * Follows a run from its first event until it ends, the watcher leaves, or time is up. Following owns
 * nothing: the run goes on whatever happens here. While no engine owns the run, one is started. A server that is away is waited for; when
 * time is up meanwhile, its failure is raised.
 */
export async function follow(
  invocation: Invocation,
  runRef: string,
  view: FollowView,
  options: FollowOptions,
  detach: AbortSignal,
): Promise<{ readonly end: FollowEnd; readonly model: RunModel }> {
  const model = new RunModel(await invocation.call(getRun, { run: runRef }));
  const run = model.run.id;
  const stop = AbortSignal.any([
    detach,
    invocation.out.closed,
    ...(options.timeoutMs === undefined ? [] : [AbortSignal.timeout(options.timeoutMs)]),
  ]);
  const engine = new EngineKeeper(invocation);
  const trouble = new TroubleTeller(view);
  const feed = await openFeed(invocation, run, { after: -1, stop, say: options.say });
  let after = -1;
  let endedAt: number | undefined;
  const stopped = (): { readonly end: FollowEnd; readonly model: RunModel } => {
    const end = whyStopped(invocation, detach);
    const outage = feed.outage();
    if (end === 'timed-out' && outage !== undefined) throw gaveUp(outage, `pal watch ${run}`);
    return { end, model };
  };
  try {
    view.start(model);
    for (;;) {
      const batch = await orStopped(feed.next(), stop);
      if (batch === undefined) return stopped();
      const changes: Change[] = [];
      for (const event of batch.events) {
        const change = model.apply(event);
        if (change !== undefined) changes.push(change);
        after = event.seq;
      }
      options.onEvents?.(batch.events);
      view.changes(changes, model);
      if (options.failFast && changes.some((change) => change.state === 'failed')) {
        return { end: 'failed-fast', model };
      }
      if (batch.hasMore) continue;
      if (batch.isSealed || model.ended !== undefined || batch.events.length === 0) {
        const snapshot = await orStopped(feed.call(getRun, { run, items: 'none' }), stop);
        if (snapshot === undefined) return stopped();
        model.run = snapshot.run;
        trouble.tell(snapshot.run);
        if (RUN_TERMINAL.has(snapshot.run.state) && snapshot.last_seq <= after) {
          // The seal follows the end closely; whoever exports evidence next wants it there.
          endedAt ??= performance.now();
          if (snapshot.run.sealed || performance.now() - endedAt > SEAL_MS) return { end: 'ended', model };
          await delay(SEAL_POLL_MS);
          continue;
        }
        trouble.tellPause(snapshot.run);
        const isParked = waitsForPeople(snapshot.run, Date.now());
        if (isParked && !options.staysForPeople && snapshot.last_seq <= after)
          return { end: 'waiting', model };
        await engine.keep(!lacksEngine(snapshot.run, Date.now()));
      }
    }
  } finally {
    feed.close();
    await view.stop();
  }
}

/** Starts an engine when the run has had none for a while. */
class EngineKeeper {
  readonly #invocation: Invocation;
  #unownedSince: number | undefined;
  #lastStart = 0;

  constructor(invocation: Invocation) {
    this.#invocation = invocation;
  }

  async keep(isServed: boolean): Promise<void> {
    const now = performance.now();
    if (isServed) {
      this.#unownedSince = undefined;
      return;
    }
    this.#unownedSince ??= now;
    if (now - this.#unownedSince < UNOWNED_MS || now - this.#lastStart < ENGINE_RETRY_MS) return;
    this.#lastStart = now;
    const plane = await this.#invocation.controlPlane();
    await plane.ensureEngine();
  }
}

/** Says once what keeps the run from going on, and again when it is another thing (FF-057). */
class TroubleTeller {
  readonly #view: FollowView;
  #told: string | undefined;
  #paused = false;

  constructor(view: FollowView) {
    this.#view = view;
  }

  tell({ trouble }: RunView): void {
    const text = trouble && `${trouble.item === undefined ? '' : `${trouble.item}: `}${trouble.message}`;
    if (text !== undefined && text !== this.#told) this.#view.note(`no progress, trying again: ${text}`);
    this.#told = text;
  }

  tellPause({ paused }: RunView): void {
    if ((paused !== undefined) === this.#paused) return;
    this.#paused = paused !== undefined;
    if (paused === undefined) this.#view.note('resumed');
    else this.#view.note(`${paused.queue === true ? 'its queue was paused' : 'paused'} by ${paused.by}`);
  }
}

function whyStopped(invocation: Invocation, detach: AbortSignal): FollowEnd {
  if (invocation.out.closed.aborted) return 'reader-gone';
  return detach.aborted ? 'detached' : 'timed-out';
}

/** The value, or undefined when the signal aborts first. The abandoned call is left to end by itself. */
async function orStopped<T>(value: Promise<T>, stop: AbortSignal): Promise<T | undefined> {
  if (stop.aborted) {
    value.catch(() => {});
    return undefined;
  }
  let listener: (() => void) | undefined;
  try {
    return await Promise.race([
      value,
      new Promise<undefined>((resolve) => {
        listener = () => resolve(undefined);
        stop.addEventListener('abort', listener, { once: true });
      }),
    ]);
  } catch (error) {
    if (stop.aborted) return undefined;
    throw error;
  } finally {
    if (listener !== undefined) stop.removeEventListener('abort', listener);
    value.catch(() => {});
  }
}
