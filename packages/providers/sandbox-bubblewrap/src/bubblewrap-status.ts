import type { Readable } from 'node:stream';
import { type ProcessEntry, readProcess } from '@palisade/process';

/**
 * What bubblewrap says on its status descriptor: first the pid of the sandbox's first process as
 * the host sees it, then, only if the program was really started, its exit status (FF-064).
 */
export class BubblewrapStatus {
  #text = '';
  #init: ProcessEntry | null = null;

  /** Reads from now on; resolves when bubblewrap is gone. */
  listen(stream: Readable): void {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      this.#text += text;
      const pid = this.#number('child-pid');
      if (pid !== null) this.#init ??= readProcess(pid);
    });
    stream.on('error', () => {});
  }

  /** The process that is number 1 inside, or null before there is one. All others inside die with it. */
  get init(): ProcessEntry | null {
    return this.#init;
  }

  /** The program's exit status, or null when it was never started or bubblewrap was killed. */
  get exitCode(): number | null {
    return this.#number('exit-code');
  }

  #number(name: string): number | null {
    const found = new RegExp(`"${name}": ?(\\d+)`).exec(this.#text)?.[1];
    return found === undefined ? null : Number(found);
  }
}
