import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { doubleConnections } from './double/double.ts';
import type { Scenario } from './double/scenario.ts';
import { type Ended, inProcess, type Window } from './in-process.ts';

export const ENTRY = fileURLToPath(new URL('./palisade-double.ts', import.meta.url));
export const BIN = fileURLToPath(new URL('../bin/palisade.mjs', import.meta.url));

// Shared by every process of a test run, so that each starts fast.
const COMPILE_CACHE = join(tmpdir(), `palisade-cli-test-${process.getuid?.() ?? 0}`);

/** A directory of its own for one test, with a scenario in it. */
export class Place {
  readonly directory: string;
  readonly scenarioFile: string;
  readonly callsFile: string;

  constructor(scenario: Scenario, name = 'palisade-cli-') {
    this.directory = mkdtempSync(join(tmpdir(), name));
    this.scenarioFile = join(this.directory, 'scenario.json');
    this.callsFile = join(this.directory, 'calls.ndjson');
    this.tell(scenario);
  }

  /** What the control plane answers from now on. */
  tell(scenario: Scenario): void {
    writeFileSync(this.scenarioFile, JSON.stringify(scenario));
  }

  /** An environment without anything of the machine the tests run on. */
  env(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: this.directory,
      TZ: 'UTC',
      LANG: 'C.UTF-8',
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      TERM: 'xterm-256color',
      PALISADE_ACTOR: 'human:ada',
      PALISADE_DOUBLE: this.scenarioFile,
      PALISADE_DOUBLE_CALLS: this.callsFile,
      ...more,
    };
  }

  /** Runs a command line to its end, with pipes unless a window is given. */
  pal(
    args: readonly string[],
    options: {
      env?: Readonly<Record<string, string>>;
      input?: string | Uint8Array;
      cwd?: string;
      window?: Window;
      keys?: string;
    } = {},
  ): Promise<Ended> {
    return inProcess(args, doubleConnections(this.scenarioFile, this.callsFile), {
      cwd: this.directory,
      ...options,
      env: this.env(options.env),
    });
  }

  /** Every call of an operation so far, as lines of JSON. */
  calls(): string {
    return existsSync(this.callsFile) ? readFileSync(this.callsFile, 'utf8') : '';
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
