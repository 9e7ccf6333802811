import { execFileSync, spawn } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type EvidenceBundle,
  exportEvidence,
  getRun,
  getTrustRoot,
  type ItemView,
  type OperationCaller,
  type RunView,
  TrustRoot,
} from '@palisade/contracts';
import { verifyBundle } from '@palisade/evidence';
import { type ControlPlane, openControlPlane } from '@palisade/server';
import { product } from './product.ts';

/** The command as it is shipped. */
export const CLI = product('palisade.mjs');

/** A real git repository in a temporary directory. */
export function makeRepository(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'palisade-e2e-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  git(root, 'init', '-q', '-b', 'main');
  git(root, 'add', '-A');
  git(root, 'commit', '-q', '-m', 'base');
  return root;
}

export function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args], {
    cwd,
    encoding: 'utf8',
  });
}

export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the real command in a child process; `input` is its standard input, which is empty otherwise. */
export async function palisade(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input?: string,
): Promise<CliResult> {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.on('error', () => undefined).end(input);
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((done) => child.once('close', (code, signal) => done({ code, signal, stdout, stderr })));
}

/** Waits for a condition, for which an empty answer is not enough; fails with `what` after `timeoutMs`. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | null | false | ''>,
  timeoutMs = 60_000,
): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false && found !== '') return found;
    if (Date.now() > end) throw new Error(`timed out waiting for ${what}`);
    await delay(50);
  }
}

/** Starts an engine for a control plane, with extra environment for it and its workers. */
export async function startEngine(
  plane: ControlPlane,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const before = { ...process.env };
  Object.assign(process.env, env);
  try {
    await plane.ensureEngine();
  } finally {
    for (const name of Object.keys(env)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

/** Opens the control plane, with its database where the environment of the test says. */
export function openAt(root: string): Promise<ControlPlane> {
  return openControlPlane({ directory: root, create: true });
}

/** The run once it has ended and is sealed. */
export async function ended(
  plane: OperationCaller,
  run: string,
  timeoutMs = 120_000,
): Promise<{ readonly run: RunView; readonly items: readonly ItemView[] }> {
  return until(
    `run ${run} to end`,
    async () => {
      const view = await plane.call(getRun, { run });
      return view.run.finished_at !== undefined && view.run.sealed ? view : undefined;
    },
    timeoutMs,
  );
}

/** Exports and verifies a run's evidence against the installation's own trust root. */
export async function verified(
  plane: OperationCaller,
  run: string,
): Promise<{ readonly bundle: EvidenceBundle; readonly report: ReturnType<typeof verifyBundle> }> {
  const bundle = await plane.call(exportEvidence, { run });
  const { trust_root } = await plane.call(getTrustRoot, {});
  return { bundle, report: verifyBundle(bundle, TrustRoot.parse(trust_root)) };
}

/** Processes of this machine whose environment or command line names the directory: workers, agents, engines. */
export function processesOf(root: string): string[] {
  const found: string[] = [];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (Number(pid) === process.pid) continue;
    try {
      const text =
        readFileSync(`/proc/${pid}/cmdline`, 'utf8') + readFileSync(`/proc/${pid}/environ`, 'utf8');
      const state = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0];
      if (text.includes(root) && state !== 'Z')
        found.push(`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`);
    } catch {
      // It ended while we looked.
    }
  }
  return found;
}

/** Directories of attempts that are there, of every control plane of the project. */
export function attemptsOf(root: string): string[] {
  return globSync(join(root, '.palisade/planes/*/attempts/*'));
}

/** Where the blobs of the project's only control plane lie. */
export function blobsOf(root: string): string {
  const [found] = globSync(join(root, '.palisade/planes/*/blobs'));
  if (found === undefined) throw new Error('no control plane has blobs yet');
  return found;
}

/** Ends the announced engine of a control plane and everything that still runs for it, then removes the directory. */
export function removeInstallation(root: string): void {
  // A test that failed before it had a directory: the empty string is part of every command line.
  if (root === '') return;
  for (const line of processesOf(root)) {
    try {
      process.kill(Number(line.split(' ')[0]), 'SIGKILL');
    } catch {
      // Gone already.
    }
  }
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}
