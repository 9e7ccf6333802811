import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type AttemptResult,
  type BlobStore,
  contentHash,
  newId,
  type ProductFile,
} from '@palisade/contracts';
import { fileBlobStore } from '@palisade/kernel';
import { nameProcess } from '@palisade/process';
import { onTestFinished } from 'vitest';
import { type AttemptIntent, type WorkerExecutorOptions, workerExecutor } from '../src/index.ts';

export interface ExecutorRig {
  readonly root: string;
  readonly blobs: BlobStore;
  readonly executor: ReturnType<typeof workerExecutor>;
  /** What the executor reported, in order. */
  readonly faults: unknown[];
}

/** A worker executor over a real blob store in a directory that goes away with the test. */
export function executorRig(
  change: (blobs: BlobStore) => Partial<WorkerExecutorOptions> = () => ({}),
): ExecutorRig {
  const base = mkdtempSync(join(tmpdir(), 'palisade-executor-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true, maxRetries: 3 }));
  const root = join(base, 'attempts');
  mkdirSync(root);
  const blobs = fileBlobStore(join(base, 'blobs'));
  const faults: unknown[] = [];
  const executor = workerExecutor({
    name: 'local',
    root,
    blobs,
    command: [process.execPath, '--version'],
    env: {},
    reap: async () => {},
    release: async () => {},
    isOpen: async () => false,
    onFault: (error) => faults.push(error),
    ...change(blobs),
  });
  return { root, blobs, executor, faults };
}

export function intentOf(change: Partial<AttemptIntent> = {}): AttemptIntent {
  return {
    runId: newId('run'),
    rootRunId: newId('run'),
    itemId: 'item',
    attempt: 1,
    deadlineAt: Date.now() + 60_000,
    neededOutputs: [],
    spec: () => Promise.reject(new Error('a recovered attempt needs no spec')),
    ...change,
  };
}

/** What a worker leaves: files in `products/` by name, and its result with them, as changed. */
export function leaveResult(
  root: string,
  attemptId: string,
  files: Readonly<Record<string, string>> = {},
  change: Partial<AttemptResult> = {},
): AttemptResult {
  const named: ProductFile[] = [];
  for (const [file, text] of Object.entries(files)) {
    const path = join(root, attemptId, 'products', file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    named.push({ file, ref: contentHash(text), size: Buffer.byteLength(text) });
  }
  const result: AttemptResult = {
    schema_version: 1,
    attempt_id: attemptId,
    outcome: 'succeeded',
    exit_code: 0,
    retryable: false,
    posture: [],
    product: {},
    files: named,
    blocks: [],
    started_at: 1,
    finished_at: 2,
    ...change,
  };
  write(root, attemptId, 'claim.json', { by: 'worker', process: 'elsewhere' });
  write(root, attemptId, 'result.json', result);
  return result;
}

/** A process that stands for a worker: it has claimed the attempt and lives until it is ended. */
export async function liveWorker(root: string, attemptId: string): Promise<ChildProcess> {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const name = nameProcess(child.pid ?? 0);
  if (name === null) throw new Error('the worker did not start');
  write(root, attemptId, 'claim.json', { by: 'worker', process: name });
  return child;
}

export function write(root: string, attemptId: string, name: string, value: unknown): void {
  mkdirSync(join(root, attemptId), { recursive: true });
  writeFileSync(join(root, attemptId, name), typeof value === 'string' ? value : JSON.stringify(value));
}
