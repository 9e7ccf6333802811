import { readdir, readFile, readlink } from 'node:fs/promises';

/** Process states of /proc/<pid>/stat in which nobody can expect it to go on by itself. */
const STANDING: Readonly<Record<string, string>> = {
  T: ', stopped',
  t: ', stopped by a debugger',
  D: ', blocked',
};

/**
 * Other processes of this machine that have a file open, as people know them: `pid 42 (node, stopped)`. Only
 * those this user may look at, and none where there is no /proc.
 */
export async function fileHolders(path: string): Promise<string[]> {
  const holders: string[] = [];
  for (const pid of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid || !(await hasOpen(pid, path))) continue;
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const [, name = 'unknown', state = ''] = /^\d+ \((.*)\) (.)/s.exec(stat) ?? [];
    holders.push(`pid ${pid} (${name}${STANDING[state] ?? ''})`);
  }
  return holders;
}

async function hasOpen(pid: string, path: string): Promise<boolean> {
  for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => []))
    if ((await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')) === path) return true;
  return false;
}
