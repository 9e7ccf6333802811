import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as delay } from 'node:timers/promises';
import { PalisadeError } from '@palisade/contracts';
import { assertFree, assertOwnedId, type Console, ownedOfRun, runOwned } from '@palisade/memory';
import type { Invocation } from '../invocation.ts';
import { ownedLines } from '../output/console-text.ts';
import { foreignLog } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import type { Sink } from '../output/sink.ts';
import type { consoleRunCommand } from '../tree/console-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import { userPath } from '../user-path.ts';
import { withConsole } from './console-invocation.ts';
import type { Handler } from './handler.ts';

/** In the environment of a runner in the background: the token of the run it is to make. */
const START_VARIABLE = 'PALISADE_CONSOLE_START';
/** How long a runner may take to begin. */
const START_MS = 30_000;

interface Wish {
  readonly id: string;
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly log: string | undefined;
}

/** `pal console run -- CMD`: exit 1 when the command does not end with 0. */
export const execute: Handler<typeof consoleRunCommand> = (invocation, { command: words }, flags) => {
  const [program, ...args] = words;
  if (program === undefined) throw new UsageError('there is no command', { next: 'pal console run -- CMD' });
  const { directory } = invocation;
  const cwd = userPath(directory, flags.cwd ?? '.');
  if (!existsSync(cwd) || !statSync(cwd).isDirectory()) throw new UsageError(`there is no directory ${cwd}`);
  const id = flags.id ?? `run-${randomBytes(4).toString('hex')}`;
  assertOwnedId(id);
  const log = flags.log === undefined ? undefined : userPath(directory, flags.log);
  const wish: Wish = { id, command: [program, ...args], cwd, log };
  const body = (console: Console) =>
    flags.background ? leave(invocation, console, wish) : attend(invocation, console, wish);
  return withConsole(invocation, body, { create: true });
};

async function attend(invocation: Invocation, console: Console, wish: Wish): Promise<number> {
  const { settings, out, err, stdin } = invocation;
  const { [START_VARIABLE]: started, ...env } = invocation.env;
  const isShown = settings.format === 'text' && started === undefined;
  const show = { stdout: shownOn(out), stderr: shownOn(err) };
  const answer = await runOwned(console, {
    ...wish,
    token: started ?? randomUUID(),
    isBackground: started !== undefined,
    env,
    stdin: stdin.isTTY || started !== undefined ? undefined : stdin,
    onOutput: (stream, piece) => (isShown ? show[stream].piece(piece) : undefined),
  });
  if (isShown) {
    await Promise.all([show.stdout.end(), show.stderr.end()]);
    if (!settings.isQuiet) for (const each of ownedLines(answer, settings.times)) err.line(each);
  } else emit(invocation, { json: answer, records: [answer], ids: [answer.id], text: () => [] });
  return answer.status === 'exited' && answer.exit_code === 0 ? 0 : 1;
}

/** What a command writes: as it is into a pipe, by clean lines onto a terminal. */
function shownOn(sink: Sink) {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const write = (text: string): Promise<void> => {
    sink.write(text);
    return sink.drained();
  };
  return {
    piece(bytes: Buffer): Promise<void> {
      if (!sink.isTty) {
        sink.write(bytes);
        return sink.drained();
      }
      const lines = (rest + decoder.write(bytes)).split('\n');
      rest = lines.pop() ?? '';
      return lines.length === 0 ? Promise.resolve() : write(`${lines.map(foreignLog).join('\n')}\n`);
    },
    async end(): Promise<void> {
      rest += decoder.end();
      if (rest !== '') await write(`${foreignLog(rest)}\n`);
    },
  };
}

/** Starts a runner that leads a session of its own, and waits until it has begun. */
async function leave(invocation: Invocation, console: Console, wish: Wish): Promise<number> {
  const { id, command, cwd, log } = wish;
  const { interrupted, env, settings } = invocation;
  assertFree(console, id);
  const token = randomUUID();
  const options = ['--id', id, '--cwd', cwd, ...(log === undefined ? [] : ['--log', log]), '--quiet'];
  const entry = process.argv[1] ?? '';
  const runner = spawn(process.execPath, [entry, 'console', 'run', ...options, '--', ...command], {
    cwd: invocation.directory,
    env: { ...env, [START_VARIABLE]: token },
    stdio: 'ignore',
    detached: true,
  });
  let isOver = false;
  runner.once('error', () => (isOver = true));
  runner.once('exit', () => (isOver = true));
  runner.unref();
  const until = performance.now() + START_MS;
  for (;;) {
    // Asked first, so that what it said before it ended is seen.
    const wasOver = isOver;
    const answer = ownedOfRun(console, token);
    if (answer !== undefined && answer.status !== 'starting') {
      emit(invocation, {
        json: answer,
        records: [answer],
        ids: [id],
        text: () => ownedLines(answer, settings.times),
      });
      invocation.hint(`pal console read ${id}`, `pal console interrupt ${id}`);
      return answer.status === 'failed' ? 1 : 0;
    }
    if (wasOver || performance.now() > until) break;
    interrupted.throwIfAborted();
    await delay(20);
  }
  assertFree(console, id);
  throw new PalisadeError('start_failed', `the runner of ${id} did not begin`, {
    next: `pal console owned-show ${id}`,
  });
}
