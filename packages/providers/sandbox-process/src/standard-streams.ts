import { spawnSync } from 'node:child_process';
import { chmodSync, closeSync, constants, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';

const OUTPUTS = ['stdout', 'stderr'] as const;

/** The three streams of one program: what it is given, and our ends of its output. */
export interface OpenStreams {
  /** Descriptors for the program. `null` stands for no input. */
  readonly descriptors: readonly [number | null, number, number];
  readonly stdout: Socket;
  readonly stderr: Socket;
  /** Closes the program's descriptors on our side; to be called once it has them. */
  handOver(): void;
}

/**
 * The standard streams of a sandbox's programs: a file for input, named pipes for output. Node
 * would connect them with sockets, which cannot be opened a second time: `cat /dev/stdin` and
 * `echo x > /dev/stderr`, which many scripts do, would fail. Input is no pipe, because opening a
 * named pipe again waits for a writer that may have gone. All lie in the sandbox's state
 * directory; a program reaches them only through its own descriptors.
 */
export class StandardStreams {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** Makes the pipes below `stateDir`, or returns null where there can be none. */
  static make(stateDir: string): StandardStreams | null {
    const directory = join(stateDir, 'streams');
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const pipes = OUTPUTS.map((name) => join(directory, name));
    if (spawnSync('mkfifo', pipes, { env: { PATH: '/usr/bin:/bin' } }).status !== 0) return null;
    // Opened again through its own descriptor, a program of another user needs the permission.
    for (const pipe of pipes) chmodSync(pipe, 0o666);
    return new StandardStreams(directory);
  }

  /** Opens the streams for the next program, which must be the only one. Throws the system's error, e.g. ENOSPC. */
  open(input: Uint8Array | undefined): OpenStreams {
    const theirs: number[] = [];
    const handOver = (): void => {
      for (const fd of theirs.splice(0)) closeSync(fd);
    };
    const output = (name: string): Socket => {
      const path = join(this.#directory, name);
      const ours = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      theirs.push(openSync(path, constants.O_WRONLY));
      return new Socket({ fd: ours, readable: true, writable: false });
    };
    const given = input === undefined ? null : this.#fileOf(input);
    const [stdout, stderr] = [output('stdout'), output('stderr')];
    const [out = -1, err = -1] = theirs;
    if (given !== null) theirs.push(given);
    return { descriptors: [given, out, err], stdout, stderr, handOver };
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** A descriptor on a file that has no name any more. */
  #fileOf(input: Uint8Array): number {
    const path = join(this.#directory, 'stdin');
    try {
      writeFileSync(path, input);
      chmodSync(path, 0o644);
      return openSync(path, 'r');
    } finally {
      rmSync(path, { force: true });
    }
  }
}
