import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findPostgres, type PostgresBinaries } from './postgres-binaries.ts';

/** PostgreSQL refuses to run as root: then this unprivileged user runs it ("nobody"). */
const UNPRIVILEGED = 65_534;
const START_ATTEMPTS = 40;
const START_PAUSE_MS = 250;

/** A private server on a loopback port, with its data in a temporary directory and with `fsync` on unless the settings say otherwise. */
export class PostgresServer {
  readonly url: string;
  readonly #binaries: PostgresBinaries;
  readonly #scratch: string;
  readonly #arguments: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(
    binaries: PostgresBinaries,
    scratch: string,
    port: number,
    settings: readonly string[],
  ) {
    this.url = `postgres://palisade@127.0.0.1:${port}/postgres`;
    this.#binaries = binaries;
    this.#scratch = scratch;
    this.#arguments = [
      '-D',
      join(scratch, 'data'),
      ...[`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', ...settings].flatMap(
        (s) => ['-c', s],
      ),
    ];
  }

  /** Creates and starts one; null when this machine has no PostgreSQL. `settings` are `name=value`. */
  static async create(
    settings: readonly string[] = [],
    find: (scratch: string) => Promise<PostgresBinaries | null> = findPostgres,
  ): Promise<PostgresServer | null> {
    const scratch = await mkdtemp(join(tmpdir(), 'palisade-postgres-'));
    try {
      const binaries = await find(scratch);
      if (binaries === null) {
        await rm(scratch, { recursive: true, force: true });
        return null;
      }
      await handOver(scratch);
      const server = new PostgresServer(binaries, scratch, await freePort(), settings);
      await server.#initialise();
      await server.start();
      return server;
    } catch (error) {
      await rm(scratch, { recursive: true, force: true });
      throw error;
    }
  }

  /**
   * Starts it (again) and resolves when it accepts connections. After a crash the server refuses to start
   * until the last of its old backends is gone; only trying again helps.
   */
  async start(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#startOnce();
        return;
      } catch (error) {
        if (attempt === START_ATTEMPTS) throw error;
        await delay(START_PAUSE_MS);
      }
    }
  }

  async #startOnce(): Promise<void> {
    const child = this.#spawn('postgres', this.#arguments);
    this.#child = child;
    let log = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        log = (log + text).slice(-8_192);
        if (log.includes('database system is ready to accept connections')) resolve();
      });
      child.once('exit', (code) => reject(new Error(`postgres exited with ${code} at start: ${log}`)));
      child.once('error', reject);
    });
  }

  /**
   * Ends it. `fast` rolls back what runs and shuts down cleanly; `immediate` is a crash: every
   * connection breaks and the next start recovers.
   */
  async stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await exited;
  }

  /** Stops it and removes its data. */
  async remove(): Promise<void> {
    await this.stop('immediate');
    await rm(this.#scratch, { recursive: true, force: true });
  }

  async #initialise(): Promise<void> {
    const options = ['-U', 'palisade', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'];
    const child = this.#spawn('initdb', ['-D', join(this.#scratch, 'data'), ...options]);
    let log = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (log += text));
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`initdb exited with ${code}: ${log}`);
  }

  #spawn(program: string, args: readonly string[]): ChildProcess {
    const isRoot = process.getuid?.() === 0;
    return spawn(join(this.#binaries.directory, program), args, {
      cwd: this.#scratch,
      env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC', ...this.#binaries.env },
      stdio: ['ignore', 'ignore', 'pipe'],
      // A process group of its own: an interrupt at the terminal reaches us, and we stop it in order.
      detached: true,
      ...(isRoot ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {}),
    });
  }
}

/** Gives the directory, and what was copied into it, to the user that runs the server. */
async function handOver(directory: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  await chmod(directory, 0o700);
  await chown(directory, UNPRIVILEGED, UNPRIVILEGED);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true }))
    if (!entry.isSymbolicLink()) await chown(join(entry.parentPath, entry.name), UNPRIVILEGED, UNPRIVILEGED);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free loopback port');
  return address.port;
}
