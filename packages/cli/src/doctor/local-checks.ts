import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Invocation } from '../invocation.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { byteSize } from '../output/time.ts';
import type { DoctorCheck } from './check.ts';

const LOW_DISK = 1024 ** 3;
const GIT_NEEDED = [2, 30] as const;

/** What this machine must have, control plane or not. */
export async function localChecks(invocation: Invocation): Promise<DoctorCheck[]> {
  return [node(), await sqlite(), await git(), await disk(invocation.directory)];
}

function node(): DoctorCheck {
  return {
    name: 'node',
    result: 'ok',
    detail: `${process.versions.node} (${process.platform}-${process.arch})`,
  };
}

async function sqlite(): Promise<DoctorCheck> {
  try {
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(':memory:');
    const row = database.prepare('select sqlite_version() as version').get();
    database.close();
    return { name: 'sqlite', result: 'ok', detail: String(row?.['version']) };
  } catch {
    return {
      name: 'sqlite',
      result: 'fail',
      detail: 'node:sqlite does not work in this Node',
      next: 'pal version -v',
    };
  }
}

async function git(): Promise<DoctorCheck> {
  try {
    const { stdout } = await promisify(execFile)('git', ['--version'], { timeout: 10_000 });
    const version = /(\d+)\.(\d+)[.\d]*/.exec(stdout);
    const [major, minor] = [Number(version?.[1] ?? 0), Number(version?.[2] ?? 0)];
    const isOld = major < GIT_NEEDED[0] || (major === GIT_NEEDED[0] && minor < GIT_NEEDED[1]);
    return {
      name: 'git',
      result: isOld ? 'fail' : 'ok',
      detail: isOld
        ? `${version?.[0] ?? 'unknown'} is older than ${GIT_NEEDED.join('.')}`
        : (version?.[0] ?? foreignLine(stdout)),
    };
  } catch {
    return { name: 'git', result: 'fail', detail: 'git cannot be started; is it on PATH?' };
  }
}

async function disk(directory: string): Promise<DoctorCheck> {
  try {
    const facts = await statfs(directory);
    const free = facts.bavail * facts.bsize;
    return {
      name: 'disk',
      result: free < LOW_DISK ? 'warn' : 'ok',
      detail: `${byteSize(free)} free`,
    };
  } catch {
    return { name: 'disk', result: 'n/a', detail: 'this file system does not say' };
  }
}
