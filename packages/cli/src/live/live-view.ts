import type { RunModel } from '../follow/run-model.ts';
import type { FollowView } from '../follow/view.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { type RowStyle, renderRow } from '../output/row.ts';
import type { Sink } from '../output/sink.ts';
import { footerLines, footerRows, selectable, waitingItem } from './footer.ts';
import { readKeys } from './keys.ts';
import { Screen } from './screen.ts';

/** At most eight redraws a second. */
const FRAME_MS = 125;
const TAIL_MS = 1_000;

export interface LiveOptions {
  readonly out: Sink;
  readonly stdin: NodeJS.ReadStream;
  readonly style: RowStyle;
  /** Last log lines of an item. */
  readonly readTail: (item: string, lines: number) => Promise<readonly string[]>;
  /** Shows what an item asks and takes the answer; the terminal is its own meanwhile. */
  readonly answer: (item: string) => Promise<void>;
  /** Leaves without stopping the run. */
  readonly detach: () => void;
}

/** The inline live view of cli.md §3: finished lines scroll away once, a small footer is redrawn. */
export function liveView(options: LiveOptions): FollowView {
  const { out, style } = options;
  const screen = new Screen(out);
  const finished: string[] = [];
  let model: RunModel | undefined;
  let selected: string | undefined;
  let failedOnly = false;
  let tail: readonly string[] | undefined;
  let notice: string | undefined;
  let idWidth = 12;
  let isDrawing = false;
  let lastTail = 0;
  let mustRedraw = false;
  let isStopped = false;
  const stops: (() => void)[] = [];

  const frame = async (): Promise<void> => {
    if (model === undefined || isDrawing) return;
    isDrawing = true;
    try {
      const window = { columns: out.columns ?? 80, rows: out.rows ?? 24 };
      const choice = { selected, failedOnly, tail, notice };
      screen.draw(finished.splice(0), footerLines(model, choice, window, style, Date.now()), mustRedraw);
      mustRedraw = false;
      // A slow terminal sets the pace: the next frame waits until this one is out.
      await out.drained();
      await refreshTail(window.rows);
    } finally {
      isDrawing = false;
    }
  };
  const refreshTail = async (rows: number): Promise<void> => {
    const now = performance.now();
    if (tail === undefined || selected === undefined || now - lastTail < TAIL_MS) return;
    lastTail = now;
    const lines = await options.readTail(selected, footerRows(rows)).catch(() => ['no log yet']);
    if (tail !== undefined) tail = lines;
  };
  const select = (step: number): void => {
    if (model === undefined) return;
    const items = selectable(model, failedOnly);
    const index = items.findIndex((item) => item.id === selected);
    const next = items[Math.max(0, Math.min(items.length - 1, index < 0 ? 0 : index + step))];
    selected = next?.id;
    lastTail = 0;
    notice = undefined;
  };
  const listen = (): void => {
    stops.push(
      readKeys(options.stdin, {
        answer: () => {
          const item = model === undefined ? undefined : waitingItem(model, selected);
          if (item === undefined) notice = 'nothing waits for an answer';
          else void lend(() => options.answer(item));
        },
        log: () => {
          if (selected === undefined) select(0);
          tail = tail === undefined ? [] : undefined;
          lastTail = 0;
        },
        next: () => select(1),
        previous: () => select(-1),
        failedOnly: () => {
          failedOnly = !failedOnly;
          notice = failedOnly ? 'failed only  f all  q detach' : undefined;
        },
        detach: options.detach,
        suspend,
      }),
    );
  };
  /** Gives the terminal to a question and takes it back. */
  const lend = async (body: () => Promise<void>): Promise<void> => {
    screen.close();
    for (const stop of stops.splice(0)) stop();
    try {
      await body();
      notice = undefined;
    } catch (error) {
      notice = foreignLine(error instanceof Error ? error.message : 'not answered');
    }
    if (!isStopped) open();
  };
  const suspend = (): void => {
    screen.close();
    for (const stop of stops.splice(0)) stop();
    process.once('SIGCONT', open);
    process.kill(process.pid, 'SIGTSTP');
  };
  const open = (): void => {
    screen.open();
    const timer = setInterval(() => void frame(), FRAME_MS);
    stops.push(() => clearInterval(timer));
    stops.push(
      out.onResize(() => {
        mustRedraw = true;
      }),
    );
    listen();
  };

  return {
    start(first) {
      model = first;
      idWidth = Math.min(32, Math.max(12, ...[...first.items.keys()].map((id) => id.length)));
      open();
    },
    changes(changes) {
      for (const change of changes) {
        if (change.state !== 'running')
          finished.push(renderRow(change.row, { ...style, columns: out.columns }, idWidth));
      }
    },
    note: (text) => finished.push(`note: ${foreignLine(text)}`),
    async stop() {
      isStopped = true;
      for (const stop of stops.splice(0)) stop();
      process.removeListener('SIGCONT', open);
      if (finished.length > 0) screen.draw(finished.splice(0), []);
      screen.close();
      await out.drained();
    },
  };
}
