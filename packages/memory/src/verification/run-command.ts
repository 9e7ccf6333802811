import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ProcessTree, signalProcess, startTimeNow } from '@palisade/process';
import { truncateText, LONGEST_TIMER_MS } from '@palisade/contracts';

/** How a command ended. */
export interface CommandResult {
  /** Null when it did not end by itself. */
  readonly exitCode: number | null;
  readonly outcome: 'passed' | 'failed' | 'timed_out' | 'not_started';
  /** The end of what it wrote, both streams as they came. */
  readonly output: string;
  /** Bytes it wrote, kept or not. */
  readonly bytes: number;
  readonly durationMs: number;
}

export interface CommandOptions {
  readonly argv: readonly [string, ...string[]];
  /** Absolute. */
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Every piece of output as it comes. */
  readonly onOutput?: (piece: Buffer) => void;
}

/** Most that is kept of what a command writes. */
const KEPT_BYTES = 256 * 1024;
const KEPT_CHARS = 64 * 1024;
/** What a process gets between the polite signal and the other one. */
const GRACE_MS = 2_000;
/** How long output is waited for after its writer has ended; whatever left it open is not of interest. */
const DRAIN_MS = 1_000;
const MARKER = 'PALISADE_CHECK_ID';
/** What is ours and no command of a project needs, tokens first; and git's variables of another repository, when this runs in one of its hooks (FF-034). */
const KEPT_FROM_IT =
  /^PALISADE_|^GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|COMMON_DIR|PREFIX|ALTERNATE_OBJECT_DIRECTORIES)$/;

/**
 * Runs a command of the project, as whoever asked for it, in a session of its own; when it ends, is stopped or runs
 * out of time, so has everything it started (FF-063). Never throws for what the command does.
 */
export async function runCommand(options: CommandOptions): Promise<CommandResult> {
  const { argv, cwd, timeoutMs, signal, onOutput } = options;
  const started = performance.now();
  const id = randomUUID();
  const tree = new ProcessTree(id, startTimeNow(), MARKER);
  const inherited = Object.entries(process.env).filter(([name]) => !KEPT_FROM_IT.test(name));
  const child = spawn(argv[0], argv.slice(1), {
    cwd,
    env: { ...Object.fromEntries(inherited), CI: process.env['CI'] ?? '1', [MARKER]: id },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const tail = new Tail();
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => {
      tail.push(piece);
      onOutput?.(piece);
    });
  const ended = Promise.withResolvers<number | null | Error>();
  child.on('error', ended.resolve);
  child.on('exit', (code) => ended.resolve(code));
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()));
  if (child.pid !== undefined) tree.add(child.pid, true);

  const stopped = new AbortController();
  const late = delay(Math.min(timeoutMs, LONGEST_TIMER_MS), 'late' as const, {
    signal: stopped.signal,
  }).catch(() => 'late' as const);
  const aborted = new Promise<'aborted'>((resolve) => {
    const stop = () => resolve('aborted');
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true, signal: stopped.signal });
  });
  const end = await Promise.race([ended.promise, late, aborted]);
  stopped.abort();
  if (end === 'late' || end === 'aborted') {
    for (const entry of tree.find()) signalProcess(entry, 'SIGTERM');
    await Promise.race([ended.promise, delay(GRACE_MS)]);
  }
  await tree.end();
  await Promise.race([closed, delay(DRAIN_MS)]);
  child.stdout.destroy();
  child.stderr.destroy();
  return {
    exitCode: typeof end === 'number' ? end : null,
    outcome:
      end instanceof Error ? 'not_started' : end === 'late' ? 'timed_out' : end === 0 ? 'passed' : 'failed',
    output: end instanceof Error ? `${argv[0]} could not be started` : tail.text(),
    bytes: tail.bytes,
    durationMs: Math.round(performance.now() - started),
  };
}

/** The last bytes of a stream. */
class Tail {
  bytes = 0;
  #pieces: Buffer[] = [];
  #kept = 0;

  push(piece: Buffer): void {
    this.bytes += piece.length;
    this.#kept += piece.length;
    this.#pieces.push(piece);
    for (
      let first = this.#pieces[0];
      first !== undefined && this.#kept - first.length > KEPT_BYTES;
      first = this.#pieces[0]
    ) {
      this.#kept -= first.length;
      this.#pieces.shift();
    }
  }

  text(): string {
    return truncateText(Buffer.concat(this.#pieces).toString('utf8'), KEPT_CHARS, 'tail');
  }
}
