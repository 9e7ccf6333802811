import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';

/** The standard streams of one program, and our ends of its output. */
export interface Streams {
  readonly stdio: readonly [number | 'ignore', number, number];
  readonly stdout: Socket;
  readonly stderr: Socket;
  /** Closes the program's ends on our side, once it has them: only then can ours come to an end. */
  handOver(): void;
}

/**
 * Node connects a child by sockets, and a socket cannot be opened by name: `echo x > /dev/stderr`
 * would fail. Output therefore comes through named pipes and input from a file without a name.
 */
export class StreamDirectory {
  readonly #path: string;

  constructor(stateDir: string) {
    this.#path = join(stateDir, 'streams');
    this.remove();
    mkdirSync(this.#path, { recursive: true, mode: 0o700 });
    execFileSync('mkfifo', [join(this.#path, 'stdout'), join(this.#path, 'stderr')]);
  }

  open(input: Uint8Array | undefined): Streams {
    const [stdout, out] = this.#pipe('stdout');
    const [stderr, err] = this.#pipe('stderr');
    const given = input === undefined ? 'ignore' : this.#file(input);
    return {
      stdio: [given, out, err],
      stdout,
      stderr,
      handOver: () => {
        for (const fd of [given, out, err]) if (typeof fd === 'number') closeSync(fd);
      },
    };
  }

  remove(): void {
    rmSync(this.#path, { recursive: true, force: true });
  }

  #pipe(name: string): [Socket, number] {
    const path = join(this.#path, name);
    const ours = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const theirs = openSync(path, constants.O_WRONLY);
    return [new Socket({ fd: ours, readable: true, writable: false }), theirs];
  }

  #file(input: Uint8Array): number {
    const path = join(this.#path, 'stdin');
    writeFileSync(path, input, { mode: 0o600 });
    const fd = openSync(path, 'r');
    rmSync(path);
    return fd;
  }
}
