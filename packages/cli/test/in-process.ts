import { PassThrough, Readable, Writable } from 'node:stream';
import type { Connections } from '../src/control-plane.ts';
import { run, type Streams } from '../src/main.ts';

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

/** A terminal of this size instead of pipes. */
export interface Window {
  readonly columns: number;
  readonly rows: number;
}

/** What surrounds one command line. */
export interface Surroundings {
  readonly cwd: string;
  /** The whole environment; nothing of the machine the tests run on. */
  readonly env: Readonly<Record<string, string>>;
  /** Standard input where it is no terminal. */
  readonly input?: string | Uint8Array;
  /** With one, everything goes to it in the order written, and `stderr` is empty. */
  readonly window?: Window;
  /** What is typed at the window, from the start. */
  readonly keys?: string;
}

/** The command line that runs now, and those that wait for it. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command line in this process: the same code as the command's, from its words to its exit code,
 * without the cost of a start. One after the other: it changes the working directory and the environment.
 */
export function inProcess(
  args: readonly string[],
  connections: Connections,
  surroundings: Surroundings,
): Promise<Ended> {
  const ended = last.then(() => alone(args, connections, surroundings));
  last = ended.catch(() => undefined);
  return ended;
}

async function alone(
  args: readonly string[],
  connections: Connections,
  { cwd, env, input = '', window, keys = '' }: Surroundings,
): Promise<Ended> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const streams =
    window === undefined
      ? {
          stdin: Readable.from(input.length === 0 ? [] : [Buffer.from(input)]),
          stdout: sink(out),
          stderr: sink(err),
        }
      : { stdin: keyboard(keys), stdout: terminal(out, window), stderr: terminal(out, window) };
  const home = process.cwd();
  const machine = { ...process.env };
  replaceEnvironment(env);
  process.chdir(cwd);
  try {
    const code = await run(args, connections, streams as unknown as Streams);
    return { stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString(), code };
  } finally {
    process.chdir(home);
    replaceEnvironment(machine);
  }
}

function replaceEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(env, name)) delete process.env[name];
  Object.assign(process.env, env);
}

function sink(chunks: Buffer[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
}

function terminal(chunks: Buffer[], { columns, rows }: Window): Writable {
  return Object.assign(sink(chunks), { isTTY: true, columns, rows, getWindowSize: () => [columns, rows] });
}

/** A terminal's input, with what was typed ahead. */
function keyboard(keys: string): Readable {
  const input = new PassThrough();
  if (keys !== '') input.write(keys);
  return Object.assign(input, { isTTY: true, setRawMode: () => {}, unref: () => {} });
}
