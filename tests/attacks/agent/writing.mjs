import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** Ways to change what is outside of its workspace. Nothing that is there is ever made by opening it. */
export function writeAttacks(targets) {
  const { victim, directory } = targets.write;
  const own = join(process.cwd(), 'planted');
  const through = (path) => () => {
    append(join(path, victim));
    return path;
  };
  // That it may be written is enough: what others need is not broken by an arm that nothing protects.
  const files = Object.entries(targets.write.files).map(([name, path]) => [
    `open for writing: ${name}`,
    () => {
      closeSync(openSync(path, 'r+'));
      return path;
    },
  ]);
  const places = Object.entries(targets.write.directories).map(([name, path]) => [
    `create in: ${name}`,
    () => {
      const file = join(path, `palisade-attack-${process.pid}`);
      closeSync(openSync(file, 'wx'));
      unlinkSync(file);
      return path;
    },
  ]);
  return {
    ...Object.fromEntries(files),
    ...Object.fromEntries(places),
    'append: by its path': () => append(victim),
    'append: through a symlink of its own': () => {
      fresh(own);
      symlinkSync(victim, join(own, 'file'));
      return append(join(own, 'file'));
    },
    'append: through a symlink to a directory': () => {
      fresh(own);
      symlinkSync(directory, join(own, 'directory'));
      return append(join(own, 'directory', targets.write.name));
    },
    'append: through many ..': () => append(`${process.cwd()}${'/..'.repeat(40)}${victim}`),
    'append: through a hard link': () => {
      fresh(own);
      linkSync(victim, join(own, 'hard'));
      return append(join(own, 'hard'));
    },
    'append: through /proc/self/root': through('/proc/self/root'),
    'append: through /proc/1/root': through('/proc/1/root'),
    'append: through the root of its supervisor': through(`/proc/${targets.pids.engine}/root`),
    'append: through the directory of its supervisor': () =>
      append(join(`/proc/${targets.pids.engine}/cwd`, targets.write.belowEngine)),
  };
}

/** Links of the last attack must not be left to be captured: the ones that are come from `plant`. */
function fresh(directory) {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
}

function append(path) {
  // Without O_CREAT: a file of the sandbox's own is no victim.
  const fd = openSync(path, 0x401 /* O_WRONLY | O_APPEND */);
  try {
    writeSync(fd, 'attacked\n');
    return path;
  } finally {
    closeSync(fd);
  }
}
