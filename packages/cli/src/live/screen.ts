import { writeSync } from 'node:fs';
import type { Sink } from '../output/sink.ts';

/*
 * The footer is drawn below the scrollback and the cursor is parked at its first column. To redraw,
 * everything from the cursor down is erased and written again. Nothing above the cursor is ever
 * touched, whatever the window did meanwhile: a terminal that re-wraps lines on resize moves the
 * cursor with its line, and one that does not leaves it where it was. Lines that are finished are
 * written once, above the next footer, and belong to the terminal from then on.
 */

const SYNC_BEGIN = '\u001B[?2026h';
const SYNC_END = '\u001B[?2026l';
const HIDE_CURSOR = '\u001B[?25l';
const SHOW_CURSOR = '\u001B[?25h';
// While the footer is drawn nothing wraps: it takes exactly its rows even when the window has just become narrower.
const WRAP_OFF = '\u001B[?7l';
const WRAP_ON = '\u001B[?7h';
// Erased from the second column on: tmux takes an erase at the very first cell for a cleared screen and
// pushes what stood there, the old footer, into the scrollback.
const ERASE_BELOW = '\r \u001B[J\r';

/** Draws finished lines once and a footer again and again, inline. */
export class Screen {
  readonly #out: Sink;
  #footer: readonly string[] = [];
  #isOpen = false;
  readonly #restore = (): void => {
    // The process is ending without having closed the screen: only a synchronous write still works.
    try {
      writeSync(1, ERASE_BELOW + WRAP_ON + SHOW_CURSOR);
    } catch {
      // The terminal is gone.
    }
  };

  constructor(out: Sink) {
    this.#out = out;
  }

  open(): void {
    this.#isOpen = true;
    process.once('exit', this.#restore);
    this.#out.write(HIDE_CURSOR);
  }

  /** Writes finished lines and the footer in one update. Nothing is written when nothing changed. */
  draw(finished: readonly string[], footer: readonly string[], force = false): void {
    if (!this.#isOpen) return;
    const isSame =
      footer.length === this.#footer.length && footer.every((line, i) => line === this.#footer[i]);
    if (finished.length === 0 && isSame && !force) return;
    this.#footer = footer;
    const back = footer.length > 1 ? `\u001B[${footer.length - 1}A` : '';
    this.#out.write(
      `${SYNC_BEGIN}${ERASE_BELOW}${finished.map((line) => `${this.#out.shown(line)}\r\n`).join('')}${WRAP_OFF}${footer.map((line) => this.#out.shown(line)).join('\r\n')}${back}\r${WRAP_ON}${SYNC_END}`,
    );
  }

  /** Removes the footer and gives the cursor back. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    process.removeListener('exit', this.#restore);
    this.#footer = [];
    this.#out.write(`${SYNC_BEGIN}${ERASE_BELOW}${SHOW_CURSOR}${SYNC_END}`);
  }
}
