import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ENTRY, type Place } from './place.ts';

// Of util-linux; gives a child a pseudo-terminal.
const SCRIPT = 'script';

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Runs the command on a pseudo-terminal of a given size, by `script`; everything it wrote there, and its exit code. */
export async function onTerminal(
  place: Place,
  args: readonly string[],
  columns: number,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly screen: string; readonly code: number | null }> {
  const line = `stty cols ${columns} rows 30; exec ${[process.execPath, ENTRY, ...args].map(quote).join(' ')}`;
  const child = spawn(SCRIPT, ['--quiet', '--return', '--command', line, '/dev/null'], {
    cwd: place.directory,
    env: place.env({ SHELL: '/bin/sh', ...env }),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { screen: Buffer.concat(chunks).toString(), code };
}

let servers = 0;

/** One tmux server of its own with one window in which the command runs. */
export class Tmux {
  readonly #socket: string;
  readonly #place: Place;

  constructor(place: Place, args: readonly string[], size: { columns: number; rows: number }) {
    this.#place = place;
    // A server that was told to end may still answer for a moment.
    this.#socket = join(place.directory, `tmux-${servers++}`);
    const script = join(place.directory, 'window.sh');
    writeFileSync(
      script,
      `${[process.execPath, ENTRY, ...args].map(quote).join(' ')}\necho "ended with $?"\nexec sleep 600\n`,
    );
    this.#tmux(
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      '-x',
      String(size.columns),
      '-y',
      String(size.rows),
      `sh ${quote(script)}`,
    );
  }

  /** The visible screen. */
  screen(): string {
    return this.#tmux('capture-pane', '-p');
  }

  /** Everything the terminal holds, scrollback first; wrapped lines joined. */
  history(): string[] {
    return this.#tmux('capture-pane', '-p', '-J', '-S', '-', '-E', '-')
      .split('\n')
      .map((line) => line.trimEnd());
  }

  keys(...keys: readonly string[]): void {
    this.#tmux('send-keys', ...keys);
  }

  resize(columns: number, rows: number): void {
    this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  async until(condition: (screen: string) => boolean, timeoutMs = 30_000): Promise<string> {
    const end = performance.now() + timeoutMs;
    for (;;) {
      const screen = this.screen();
      if (condition(screen)) return screen;
      if (performance.now() > end) throw new Error(`the screen never showed it:\n${screen}`);
      await delay(50);
    }
  }

  [Symbol.dispose](): void {
    spawnSync('tmux', ['-S', this.#socket, 'kill-server']);
  }

  #tmux(...args: readonly string[]): string {
    const ended = spawnSync('tmux', ['-S', this.#socket, ...args], {
      encoding: 'utf8',
      cwd: this.#place.directory,
      env: this.#place.env({ TERM: 'xterm-256color' }),
    });
    if (ended.status !== 0) throw new Error(`tmux ${args[0] ?? ''}: ${ended.stderr}`);
    return ended.stdout;
  }
}
