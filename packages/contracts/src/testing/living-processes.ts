import { readdirSync, readFileSync } from 'node:fs';

/**
 * The pids of live processes with `token` in their command line, as the kernel of this machine
 * shows them. Written apart from every provider, so that a provider's own blindness cannot pass.
 */
export function livingWith(token: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => commandLine(name).includes(token))
    .map(Number);
}

/** Command lines of every process, for finding what must not be in one. */
export function allCommandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(commandLine);
}

/** Empty for a process that is dead and waits to be collected. */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
