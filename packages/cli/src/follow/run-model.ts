import {
  type EventData,
  type EventType,
  type EventView,
  ITEM_TERMINAL,
  type ItemState,
  type ItemView,
  noItems,
  type RunView,
  verdictWord,
} from '@palisade/contracts';
import { failureText } from '../output/after-failure.ts';
import type { Row } from '../output/row.ts';
import { elapsed } from '../output/time.ts';

/** What a follower knows of an item. */
export interface FollowedItem {
  readonly id: string;
  readonly title: string;
  readonly state: ItemState;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly startedAt: number | undefined;
  /** True between a failed attempt and the next one. */
  readonly isRetrying: boolean;
  readonly reason: string | undefined;
  /** Code of the catalogue, when that is why it ended so. */
  readonly code: string | undefined;
  /** What its last attempt warned of. */
  readonly warnings: readonly string[] | undefined;
}

const FRESH: Omit<FollowedItem, 'id'> = {
  title: '',
  state: 'pending',
  attempt: 0,
  maxAttempts: 1,
  startedAt: undefined,
  isRetrying: false,
  reason: undefined,
  code: undefined,
  warnings: undefined,
};

/** One thing that happened to one item, ready to be shown. */
export interface Change {
  readonly item: string;
  readonly at: number;
  /** All but `running`, `grown`, `waiting` and `ready` are an end of an attempt or item. */
  readonly state:
    | 'running'
    | 'grown'
    | 'ok'
    | 'failed'
    | 'retry'
    | 'skipped'
    | 'canceled'
    | 'denied'
    | 'waiting'
    | 'ready';
  readonly row: Row;
}

/**
 * A run as seen through its events: a snapshot gives the items, events from the first on give their
 * states. Applying the same events in order always gives the same model.
 */
export class RunModel {
  readonly items: Map<string, FollowedItem>;
  run: RunView;
  costUsd: number | undefined;
  /** True once an item left a patch that changes something. */
  hasPatch = false;
  /** Set by `run.completed`. */
  ended: EventData<'run.completed'> | undefined;
  readonly #counts: Record<ItemState, number>;

  constructor(snapshot: { readonly run: RunView; readonly items: readonly ItemView[] }) {
    this.run = snapshot.run;
    this.items = new Map();
    this.#counts = noItems();
    for (const { id, title, max_attempts: maxAttempts } of snapshot.items)
      this.#set(id, { title: title === id ? '' : title, maxAttempts });
  }

  count(state: ItemState): number {
    return this.#counts[state];
  }

  get finished(): number {
    let total = 0;
    for (const state of ITEM_TERMINAL) total += this.#counts[state];
    return total;
  }

  /** Applies one committed event; what an item went through is returned for display. */
  apply(event: EventView): Change | undefined {
    switch (event.type as EventType) {
      case 'item.fired': {
        const data = event.data as EventData<'item.fired'>;
        this.#set(data.item, {
          state: 'running',
          attempt: data.attempt,
          startedAt: event.at,
          isRetrying: false,
        });
        const holds = data.holds ?? [];
        const title = [
          data.attempt > 1 ? `attempt ${data.attempt}` : '',
          holds.length > 0 ? `holds ${holds.join(', ')}` : '',
        ];
        return this.#change(event, data.item, 'running', title.filter((part) => part !== '').join('  '));
      }
      case 'item.reconciled':
        return this.#reconciled(event, event.data as EventData<'item.reconciled'>);
      case 'item.answered': {
        const data = event.data as EventData<'item.answered'>;
        this.#set(data.item, { state: 'ready', reason: undefined });
        return this.#change(event, data.item, 'ready', `answered by ${data.actor}`);
      }
      case 'item.approval_requested': {
        const data = event.data as EventData<'item.approval_requested'>;
        this.#set(data.item, { state: 'needs_input', startedAt: undefined, reason: 'asks for approval' });
        return this.#change(event, data.item, 'waiting', 'asks for approval');
      }
      case 'item.skipped': {
        const data = event.data as EventData<'item.skipped'>;
        const reason = `because ${data.because} did not end well`;
        this.#set(data.item, { state: 'skipped', reason });
        return this.#change(event, data.item, 'skipped', reason);
      }
      case 'item.canceled':
      case 'item.denied':
      case 'item.failed': {
        const data = event.data as EventData<'item.canceled'>;
        const state = event.type.slice('item.'.length) as 'canceled' | 'denied' | 'failed';
        this.#set(data.item, { state, reason: data.reason });
        return this.#change(event, data.item, state, data.reason);
      }
      case 'run.extended': {
        const { cause, items } = event.data as EventData<'run.extended'>;
        for (const id of items) this.#set(id, {});
        const title = `${items.length} more ${items.length === 1 ? 'item' : 'items'}`;
        return this.#change(event, cause ?? this.run.id, 'grown', title);
      }
      case 'run.completed':
        this.ended = event.data as EventData<'run.completed'>;
        return undefined;
      default:
        return undefined;
    }
  }

  #reconciled(event: EventView, data: EventData<'item.reconciled'>): Change {
    const cost = data.product?.usage?.cost_usd;
    if (cost !== undefined) this.costUsd = (this.costUsd ?? 0) + cost;
    const started = this.items.get(data.item)?.startedAt;
    const aside = [
      started === undefined ? '' : elapsed(event.at - started),
      cost === undefined ? '' : `$${cost.toFixed(2)}`,
    ]
      .filter((part) => part !== '')
      .join('  ');
    const warnings = data.product?.warnings;
    const reason = failureText(
      data.reason ?? (data.exit_code === undefined ? data.outcome : `exit ${data.exit_code}`),
      warnings,
    );
    switch (data.status) {
      case 'done': {
        this.#set(data.item, { state: 'done', startedAt: undefined });
        const patch = data.product?.patch;
        if (patch !== undefined && patch.files > 0) this.hasPatch = true;
        const left =
          patch === undefined || patch.files === 0
            ? ''
            : `patch ${patch.files} ${patch.files === 1 ? 'file' : 'files'} +${patch.added} -${patch.deleted}`;
        const verdict = verdictWord(data.product);
        const check = verdict === undefined || verdict === 'passed' ? '' : `self-check ${verdict}`;
        const title = [this.items.get(data.item)?.title ?? '', left, check].filter((part) => part !== '');
        return this.#change(event, data.item, 'ok', title.join('  '), aside);
      }
      case 'retrying': {
        this.#set(data.item, { state: 'ready', startedAt: undefined, isRetrying: true, reason });
        return this.#change(event, data.item, 'retry', `attempt ${data.attempt} failed: ${reason}`, aside);
      }
      case 'needs_input': {
        const asks = data.product?.question?.question ?? '';
        this.#set(data.item, { state: 'needs_input', startedAt: undefined, reason: asks });
        return this.#change(event, data.item, 'waiting', `asks: ${asks}`, aside);
      }
      default: {
        this.#set(data.item, { state: data.status, startedAt: undefined, reason, code: data.code, warnings });
        return this.#change(event, data.item, data.status, reason, aside);
      }
    }
  }

  #set(id: string, change: Partial<FollowedItem>): void {
    const before = this.items.get(id) ?? { ...FRESH, id };
    // One that was not there when following began.
    if (!this.items.has(id)) this.#counts[before.state]++;
    const after = { ...before, ...change };
    this.#counts[before.state]--;
    this.#counts[after.state]++;
    this.items.set(id, after);
  }

  #change(event: EventView, item: string, state: Change['state'], title: string, aside = ''): Change {
    return { item, at: event.at, state, row: { state, id: item, title, aside } };
  }
}

/** `3 ok, 1 failed, 2 skipped of 6`; states without items are left out. */
export function countsLine(model: RunModel): string {
  const named = (
    [
      ['ok', 'done'],
      ['running', 'running'],
      ['waiting for you', 'needs_input'],
      ['failed', 'failed'],
      ['denied', 'denied'],
      ['canceled', 'canceled'],
      ['skipped', 'skipped'],
    ] as const
  ).flatMap(([word, state]) => (model.count(state) === 0 ? [] : [`${model.count(state)} ${word}`]));
  return `${named.length === 0 ? 'nothing started' : named.join(', ')} of ${model.items.size}`;
}
