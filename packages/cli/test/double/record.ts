import { type EventView, type ItemView, noItems, type Question, type RunView } from '@palisade/contracts';
import type { RecordedRun } from './scenario.ts';

/** 2026-03-01T09:00:00Z: recordings are fixed in time so that what they print is too. */
export const START = Date.UTC(2026, 2, 1, 9, 0, 0);
const HASH = `sha256:${'ab'.repeat(32)}` as const;

/** Builds recordings as a story: `new Recording('run_x').started('a').done('a')`. */
export class Recording {
  readonly id: string;
  readonly #title: string;
  readonly #items: ItemView[] = [];
  readonly #events: (EventView & { visible_ms?: number })[] = [];
  readonly #logs: Record<string, unknown[]> = {};
  #clock = START;
  #visible: number | undefined;
  #run: Partial<RunView> = {};

  constructor(id: string, title: string) {
    this.id = id;
    this.#title = title;
  }

  item(id: string, more: Partial<ItemView> = {}): this {
    this.#items.push({
      id,
      title: id,
      state: 'pending',
      attempt: 0,
      max_attempts: 2,
      depends_on: [],
      blocked_by: [],
      locks: [],
      ...more,
    });
    return this;
  }

  /** Moves the recorded clock. */
  after(ms: number): this {
    this.#clock += ms;
    return this;
  }

  /** Later events can be seen only this long after the start, or after the gate opened. */
  visibleAfter(ms: number): this {
    this.#visible = ms;
    return this;
  }

  with(run: Partial<RunView>): this {
    this.#run = { ...this.#run, ...run };
    return this;
  }

  log(item: string, ...lines: string[]): this {
    (this.#logs[item] ??= []).push(
      ...lines.map((text) => ({ at: this.#clock, kind: 'stdout', block: 'agent', text: `${text}\n` })),
    );
    return this;
  }

  started(item: string, attempt = 1): this {
    return this.#event('item.fired', { item, attempt, run: `run_${item}`, manifest_ref: HASH });
  }

  reconciled(
    item: string,
    status: 'done' | 'failed' | 'retrying' | 'canceled' | 'denied',
    more: object = {},
  ): this {
    const outcome = status === 'done' ? 'succeeded' : status === 'canceled' ? 'canceled' : 'failed';
    return this.#event('item.reconciled', { item, attempt: 1, run: `run_${item}`, status, outcome, ...more });
  }

  /** The attempt ended with a question. */
  asked(item: string, question: Question): this {
    return this.#event('item.reconciled', {
      item,
      attempt: 1,
      run: `run_${item}`,
      status: 'needs_input',
      outcome: 'needs_input',
      product: { question },
      asks: { request: `apr_${'1'.repeat(32)}`, request_hash: HASH },
    });
  }

  /** The policy let it not be done. */
  denied(item: string, reason: string): this {
    return this.#event('item.denied', { item, reason });
  }

  skipped(item: string, because: string): this {
    return this.#event('item.skipped', { item, because });
  }

  completed(status: 'completed' | 'failed' | 'canceled' | 'timed_out'): this {
    return this.#event('run.completed', { run: this.id, status, counts: {} });
  }

  build(more: Partial<RecordedRun> = {}): RecordedRun {
    return {
      run: {
        id: this.id,
        kind: 'plan',
        title: this.#title,
        queue: 'default',
        state: 'queued',
        actor: 'human:ada',
        submitted_at: START,
        cancel_requested: false,
        owned: true,
        sealed: true,
        counts: noItems(),
        workspace: { kind: 'git', repository: '/srv/shop', commit: 'c0ffee'.padEnd(40, '0') },
        ...this.#run,
      },
      items: this.#items,
      events: this.#events,
      logs: this.#logs,
      ...more,
    };
  }

  #event(type: string, data: Record<string, unknown>): this {
    this.#events.push({
      seq: this.#events.length,
      type,
      at: this.#clock,
      data: data as EventView['data'],
      hash: 'ab'.repeat(32),
      ...(this.#visible === undefined ? {} : { visible_ms: this.#visible }),
    });
    return this;
  }
}
