import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TrustRoot } from '@palisade/contracts';

const BIN = join(import.meta.dirname, '../bin/palisade-witness.mjs');

/** The real witness in a process of its own, with a directory of its own, on a free port of this machine. */
export class WitnessProcess {
  readonly #place = mkdtempSync(join(tmpdir(), 'palisade-witness-'));
  readonly verifierKey: string;
  #child: ChildProcess | null = null;
  #port = 0;

  constructor(name: string) {
    this.verifierKey = this.#run('init', this.#directory, name).trim();
  }

  get #directory(): string {
    return join(this.#place, 'witness');
  }

  #run(...args: string[]): string {
    return execFileSync(process.execPath, [BIN, ...args], { encoding: 'utf8' });
  }

  watch(root: TrustRoot): void {
    const file = join(this.#place, 'trust-root.json');
    writeFileSync(file, JSON.stringify(root));
    this.#run('watch', this.#directory, file);
  }

  /** Starts it unless it runs, at the same address as before when it did. */
  async start(): Promise<void> {
    if (this.#child !== null) return;
    const listen = `127.0.0.1:${this.#port}`;
    const child = spawn(process.execPath, [BIN, 'serve', this.#directory, '--listen', listen], {
      // What it says of a log that was set back is part of some tests.
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#child = child;
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    this.#port = Number(/:(\d+)$/.exec(line)?.[1]);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#place, { recursive: true, force: true });
  }
}
