import type { Sink } from '../output/sink.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { type RowStyle, renderRow } from '../output/row.ts';
import { moment } from '../output/time.ts';
import { countsLine, type RunModel } from './run-model.ts';
import type { FollowView } from './view.ts';

const STILL_WORKING_MS = 30_000;

/**
 * One line per state change and never a redraw: for pipes, continuous integration, agents and screen
 * readers. When nothing changed for 30 s it says that work goes on.
 */
export function reportView(
  sink: Sink,
  style: RowStyle,
  times: 'local' | 'utc',
  stillWorkingMs = STILL_WORKING_MS,
): FollowView {
  let timer: NodeJS.Timeout | undefined;
  let model: RunModel | undefined;
  let idWidth = 12;
  const arm = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (model !== undefined) sink.line(`still working  ${countsLine(model)}  ${moment(Date.now(), times)}`);
      arm();
    }, stillWorkingMs);
    timer.unref();
  };
  return {
    start(first) {
      model = first;
      idWidth = Math.min(32, Math.max(4, ...[...first.items.keys()].map((id) => id.length)));
      arm();
    },
    changes(changes) {
      for (const change of changes) sink.line(renderRow(change.row, style, idWidth));
      if (changes.length > 0) arm();
    },
    note: (text) => sink.line(`note: ${foreignLine(text)}`),
    stop: async () => clearTimeout(timer),
  };
}
