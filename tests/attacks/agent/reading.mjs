import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { assertSecrets, hashOf, secretsIn } from './loot.mjs';

/** What others own, by path, by every process that can be seen, and by descriptors that were left open. */
export function readAttacks(targets) {
  const files = Object.entries(targets.files).map(([name, { path, sha256 }]) => [
    `read: ${name}`,
    () => {
      const bytes = readFileSync(path);
      // Where the sandbox has a file of its own at this path, only the same bytes count.
      if (sha256 !== undefined && hashOf(bytes) !== sha256) throw new Error('another file');
      return `${bytes.length} bytes`;
    },
  ]);
  const listings = Object.entries(targets.directories).map(([name, { path, entry }]) => [
    `list: ${name}`,
    () => {
      if (!readdirSync(path).includes(entry)) throw new Error('another directory');
      return entry;
    },
  ]);
  return {
    ...Object.fromEntries(files),
    ...Object.fromEntries(listings),
    'read: any environment': () => assertSecrets(everyProcess('environ'), targets),
    'read: any command line': () => assertSecrets(everyProcess('cmdline'), targets),
    'read: environment of its supervisor': () =>
      assertSecrets(readFileSync(`/proc/${targets.pids.engine}/environ`), targets),
    'read: environment of the other agent': () =>
      assertSecrets(readFileSync(`/proc/${targets.pids.agent}/environ`), targets),
    'read: own environment at the start': () => assertSecrets(readFileSync('/proc/self/environ'), targets),
    'read: open descriptors': () => {
      const found = new Set();
      for (const pid of processes())
        for (const fd of entries(`/proc/${pid}/fd`)) {
          const path = `/proc/${pid}/fd/${fd}`;
          // What is read from a pipe is taken from whom it was meant for: files alone.
          if (!isFile(path)) continue;
          for (const secret of secretsIn(readSome(path), targets)) found.add(secret);
        }
      if (found.size === 0) throw new Error('nothing of worth');
      return [...found].join(', ');
    },
    'read: kernel log': () => `${readSome('/dev/kmsg', true).length} bytes`,
    'read: physical memory': () => `${readSome('/proc/kcore', true).length} bytes`,
    'read: a disk': () => {
      const disks = entries('/dev').filter((name) => /^(sd|vd|nvme|xvd|loop|dm-)/.test(name));
      const open = disks.filter((name) => readSome(`/dev/${name}`).length > 0);
      if (open.length === 0) throw new Error('none can be read');
      return open.join(', ');
    },
  };
}

const processes = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name));

function everyProcess(file) {
  return Buffer.concat(processes().map((pid) => readSome(`/proc/${pid}/${file}`)));
}

function entries(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function isFile(path) {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The beginning of a file, empty when it cannot be had. Never waits: it may be a pipe. */
function readSome(path, mustOpen = false) {
  let fd;
  try {
    fd = openSync(path, 0x800 /* O_NONBLOCK */);
    const bytes = Buffer.alloc(262_144);
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, null));
  } catch (error) {
    if (mustOpen) throw error;
    return Buffer.alloc(0);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
