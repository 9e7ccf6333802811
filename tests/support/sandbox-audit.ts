import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formsIn } from './canary-forms.ts';

type Forms = Readonly<Record<string, string>>;

/** Forms of a secret in the arguments, the environment or the memory of a process, with where; null for one that is gone. */
export function formsInProcess(pid: number, forms: Forms): string[] | null {
  try {
    return look(pid, forms);
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH'].includes(String(error.code)))
      return null;
    throw error;
  }
}

function look(pid: number, forms: Forms): string[] {
  const found = ['cmdline', 'environ'].flatMap((file) =>
    formsIn(readFileSync(`/proc/${pid}/${file}`), forms).map((form) => `${file}: ${form}`),
  );
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    for (const [from, size] of residentRegions(pid)) {
      const bytes = Buffer.alloc(size);
      try {
        readSync(memory, bytes, 0, size, from);
      } catch {
        continue; // Gone meanwhile, or not memory that is read.
      }
      found.push(...formsIn(bytes, forms).map((form) => `memory: ${form}`));
    }
  } finally {
    closeSync(memory);
  }
  return [...new Set(found)];
}

/** Files that a process can see and that hold one of the texts; `/proc`, `/sys`, `/dev` and the system's own are left out. */
export function filesHolding(pid: number, texts: readonly string[]): string[] {
  const patterns = join(tmpdir(), `palisade-audit-${process.pid}-${pid}`);
  writeFileSync(patterns, texts.map((text) => `${text}\n`).join(''), { mode: 0o600 });
  try {
    const root = `/proc/${pid}/root/`;
    const left = ['proc', 'sys', 'dev', 'usr'].map((name) => `--exclude-dir=${name}`);
    const found = spawnSync('grep', ['-raFls', ...left, '-f', patterns, root], { encoding: 'utf8' });
    return found.stdout
      .split('\n')
      .filter((path) => path !== '')
      .map((path) => path.slice(root.length - 1));
  } finally {
    rmSync(patterns);
  }
}

const PAGE = 4_096;
/** More pages than these are read in pieces, which overlap by more than any form is long. */
const PIECE = 4_096;

/** Parts of a process's memory that are there and may have been written: where from, and how many bytes. */
function* residentRegions(pid: number): Iterable<[bigint, number]> {
  const pages = openSync(`/proc/${pid}/pagemap`, 'r');
  try {
    for (const line of readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')) {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? [];
      if (from === undefined || to === undefined) continue;
      const first = BigInt(`0x${from}`) / BigInt(PAGE);
      const count = Number(BigInt(`0x${to}`) / BigInt(PAGE) - first);
      // Most of what a program reserves it never touches. A page that is there, or was moved out, has one of two bits (proc(5)).
      const entries = Buffer.alloc(count * 8);
      const known = readSync(pages, entries, 0, entries.length, first * 8n) / 8;
      const isThere = (page: number): boolean => page < known && ((entries[page * 8 + 7] ?? 0) & 0xc0) !== 0;
      for (let page = 0; page < known; page++) {
        if (!isThere(page)) continue;
        const start = page;
        while (isThere(page + 1) && page - start < PIECE) page++;
        yield [(first + BigInt(start)) * BigInt(PAGE), (page - start + (isThere(page + 1) ? 2 : 1)) * PAGE];
      }
    }
  } finally {
    closeSync(pages);
  }
}
