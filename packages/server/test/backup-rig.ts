import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { putSecret, registerCapability, sha256Hex } from '@palisade/contracts';
import { expect, onTestFinished, vi } from 'vitest';
import { type HostBackups, hostBackups } from '../src/backup/host-backups.ts';
import { type ControlPlane, openControlPlane } from '../src/open-control-plane.ts';

export const BACKUP_PROCESS = fileURLToPath(new URL('./backup-process.ts', import.meta.url));

export interface BackupRig {
  /** A directory of the test, which ends with it. */
  readonly base: string;
  /** Of the control plane. */
  readonly root: string;
  readonly repository: string;
  readonly plane: ControlPlane;
  readonly backups: HostBackups;
  /** Makes rows that name a blob of their own. */
  readonly add: (n: number) => Promise<void>;
  /** Paths of the snapshots, oldest first. */
  readonly snapshots: () => string[];
}

/** An open control plane with a secret and two blobs, and a repository that is not there yet. No engine runs. */
export async function backupRig(): Promise<BackupRig> {
  const base = mkdtempSync(join(tmpdir(), 'palisade-backup-'));
  const root = join(base, 'root');
  const plane = await openControlPlane({ directory: mkdir(root), create: true });
  onTestFinished(async () => {
    await plane.close();
    rmSync(base, { recursive: true, force: true });
  });
  const repository = join(base, 'snapshots-of-it');
  const add = async (n: number): Promise<void> => {
    const files = [{ path: 'a.txt', base64: Buffer.from(`number ${n}\n`).toString('base64') }];
    await plane.call(registerCapability, { name: `cap-${n}`, files });
  };
  await add(1);
  await add(2);
  await plane.call(putSecret, { name: 'token', value: 'hush-hush-hush' });
  return {
    base,
    root,
    repository,
    plane,
    backups: hostBackups({ directory: root }),
    add,
    snapshots: () => {
      const directory = join(repository, 'snapshots');
      return readdirSync(directory)
        .sort()
        .map((name) => join(directory, name));
    },
  };
}

function mkdir(path: string): string {
  mkdirSync(path);
  return path;
}

/** Address of everything below a directory, to see whether anything in it changed. */
export function treeOf(directory: string): Record<string, string> {
  const tree: Record<string, string> = {};
  for (const path of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()) {
    const full = join(directory, path);
    const facts = lstatSync(full);
    tree[path] = facts.isFile() ? sha256Hex(readFileSync(full)) : facts.isDirectory() ? 'directory' : 'other';
  }
  return tree;
}

/** Runs {@link file://./backup-process.ts} with a fault armed, to its end; `onStart` is told of it. */
export async function inProcess(
  args: readonly string[],
  fault: string,
  more: {
    readonly env?: Readonly<Record<string, string>>;
    readonly onStart?: (child: ChildProcess) => void;
  } = {},
): Promise<{ readonly signal: string | null; readonly answer: Record<string, unknown> | null }> {
  const child = spawn(process.execPath, [BACKUP_PROCESS, ...args], {
    env: { ...process.env, PALISADE_FAULT: fault, ...more.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  more.onStart?.(child);
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { signal, answer: out === '' ? null : (JSON.parse(out) as Record<string, unknown>) };
}

/** The same stopped at a point, given up there and let go on: what it answers then. */
export async function givenUpAt(
  point: string,
  args: readonly string[],
  base: string,
): Promise<Record<string, unknown> | null> {
  const sign = join(base, `sign-of-${point}`);
  const { answer } = await inProcess(args, `stop:${point}`, {
    env: { PALISADE_FAULT_SIGN: sign },
    onStart: (child) => {
      onTestFinished(() => void child.kill('SIGKILL'));
      void vi
        .waitFor(() => expect(existsSync(sign)).toBe(true), { timeout: 20_000 })
        .then(() => {
          child.kill('SIGTERM');
          // The sign is there before the process stops: a signal that came too early would not be heard.
          const going = setInterval(() => child.kill('SIGCONT'), 50);
          child.once('close', () => clearInterval(going));
        });
    },
  });
  rmSync(sign);
  return answer;
}
